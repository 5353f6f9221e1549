"""Records: the samples of one run with their provenance, stored and loaded."""
