//! Nothing: cargo downloads the dependency, and the Makefile compiles its sources.
