"""Speed from the first-level cache to memory."""
