"""ParSplit with different block sizes: Figure 6."""
