"""All implementations of the catalogue: Figures 7, 8 and 9."""
