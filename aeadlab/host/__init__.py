"""Facts about this computer, and the doctor that judges them."""
