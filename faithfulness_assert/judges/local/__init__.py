"""The local judge: a checker that runs on this machine, so that no text leaves it.

``local:NAME_OR_PATH`` names a folder, or a model of the Hugging Face hub.
"""

from .judge import LocalJudge

__all__ = ["LocalJudge"]
