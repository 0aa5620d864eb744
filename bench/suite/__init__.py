"""The parts of bench/all.py."""
