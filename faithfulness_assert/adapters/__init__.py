"""Grades inside other systems: one file for each, which needs that system's package."""
