"""The main document, *ETH*: one folder for each question, and the claims of the paper."""
