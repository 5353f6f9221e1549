"""Speed-up with threads: Figures 4 and 5."""
