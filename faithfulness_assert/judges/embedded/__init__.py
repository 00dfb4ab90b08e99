"""The embedded judge: no key, no download, no network. A smoke test that compares words only."""

from .judge import THRESHOLD, EmbeddedJudge

__all__ = ["THRESHOLD", "EmbeddedJudge"]
