"""Two run times at some thread counts: Appendix C of *ETH*, explained by work stealing."""
