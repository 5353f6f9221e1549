"""Speed-up with threads: Figures 4, 5 and 10."""
