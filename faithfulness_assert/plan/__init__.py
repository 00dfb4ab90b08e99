"""The procedure: one generator over pure stages."""
