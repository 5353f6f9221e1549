"""Measuring: cases, how much effort, the process that runs them, and the journal that it leaves."""
