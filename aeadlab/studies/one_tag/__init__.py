"""One tag for a message in place of one for each block, as Section 4 of the ETH paper suggests."""
