"""Message sizes, after the document *Rust*."""
