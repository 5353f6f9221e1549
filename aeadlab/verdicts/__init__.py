"""The toolkit for verdicts: claims, criteria, the evidence of a record, estimates and findings."""
