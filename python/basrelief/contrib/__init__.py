"""Adapters for other packages. None of those packages is imported here."""
