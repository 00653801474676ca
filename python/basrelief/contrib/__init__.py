"""Adapters for other packages; none of them is imported here."""
