"""Random generators, after the document *NetBSD*."""
