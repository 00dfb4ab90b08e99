"""What tests use: ``assert_faithful``, and the plugin of pytest, which begins in ``hooks``."""
