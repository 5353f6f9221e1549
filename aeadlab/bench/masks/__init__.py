"""CPU feature masks: libraries measured with some of the CPU's features hidden from them."""
