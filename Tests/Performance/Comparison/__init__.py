"""Measures Longshore beside its rivals: see ../compare --help."""
