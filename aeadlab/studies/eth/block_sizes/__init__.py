"""ParSplit with different block sizes: Figures 6 and 11."""
