"""What leaves the grader: ``GradingResult``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..text.strings import clip
from .promptfoo_view import Components, promptfoo_view
from .result_fields import ResultFields

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class GradingResult(ResultFields):
    """The outcome of grading one case. It is always complete, without NaN or infinite numbers.

    Its fields are explained in ``ResultFields``.
    """

    __slots__ = ()

    # These four have pydantic's names, but pydantic is loaded only when one is called: a promptfoo
    # assertion does not need it.

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The result as a dict; options as pydantic's (``mode="json"``, ``by_alias=True`` ...)."""
        data: dict[str, Any] = _adapter().dump_python(self, **options)
        return data

    def model_dump_json(self, **options: Any) -> str:
        """The result as JSON text; options as pydantic's (``indent``, ``by_alias=True`` ...).

        ``by_alias=True`` writes ``pass_`` as ``pass``.
        """
        return _adapter().dump_json(self, **options).decode()

    @classmethod
    def model_validate(cls, data: object) -> GradingResult:
        """A result from its dict. Raises ``pydantic.ValidationError``."""
        return _adapter().validate_python(data)

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> GradingResult:
        """A result from its JSON. Raises ``pydantic.ValidationError``."""
        return _adapter().validate_json(text)

    def to_promptfoo(self, components: Components = "problems") -> dict[str, Any]:
        """The result as promptfoo expects it from a ``python`` assertion.

        Args:
            components: which statements show as components; promptfoo counts each as an assertion.
                ``problems``: the first 20 that are not supported, or whose evidence is wrong.

        Raises:
            ConfigError: unknown ``components``.
        """
        return promptfoo_view(self, components)

    def pretty(self) -> str:
        """The result for a terminal: plain text without control characters."""
        from .terminal_view import terminal_view  # an assertion in promptfoo shows no terminal

        return terminal_view(self)

    def __repr__(self) -> str:
        """The outcome alone, so that a list of results can be read. ``model_dump()`` has all."""
        name = f", case_id={clip(self.case_id, 60)!r}" if self.case_id else ""
        told = f"pass_={self.pass_}, score={self.score:.4g}, status={self.status!r}"
        return f"{type(self).__name__}({told}, reason={clip(self.reason or '', 100)!r}{name})"

    def _repr_html_(self) -> str:
        """The result for a notebook: a fragment of HTML without scripts."""
        from .notebook_view import notebook_view

        return notebook_view(self)


@cache
def _adapter() -> TypeAdapter[GradingResult]:
    from pydantic import TypeAdapter

    return TypeAdapter(GradingResult)
