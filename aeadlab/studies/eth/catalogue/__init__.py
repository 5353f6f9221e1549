"""All implementations of the catalogue, of which the ETH paper's Appendix A has some."""
