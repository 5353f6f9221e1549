"""Parallel encryption with any AEAD: messages, streams, sealed files, keys and schedules."""
