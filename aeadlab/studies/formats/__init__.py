"""Standard formats of encrypted files: the speed of their programs, from the ciphers' own to many threads."""
