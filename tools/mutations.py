"""The mutants of a module: each differs from it in one place of its syntax tree.

Left alone are what people read (docstrings, sentences, the arguments of exceptions), imports,
decorators, types and the fields of classes.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
OPPOSITES = """
any all  min max  find rfind  search match  fullmatch match  rstrip lstrip  startswith endswith
isdisjoint issubset  union intersection
""".split()
CALLED = dict(zip(OPPOSITES, OPPOSITES[1:] + OPPOSITES[:1], strict=True))
CALLED |= {CALLED[name]: name for name in OPPOSITES[::2]}
NOT_NEEDED = ("sorted", "reversed", "set", "abs")
NOT_NEEDED_METHODS = ("strip", "rstrip", "lstrip", "casefold", "lower")
NONE = ast.Constant(None)
HOOK = "_reached_by_a_test"
KEYS = ("module", "function", "before", "after", "nth")


class Mutant(NamedTuple):
    """A changed module.

    ``function`` is the qualified name of the function or class with the change; "" for a module's
    own statements. ``before`` and ``after`` are the code that was replaced and its replacement;
    ``nth`` counts the places of a function with the same code, from 1.
    """

    module: str
    function: str
    before: str
    after: str
    nth: int
    line: int
    tree: ast.Module

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it another mutant than all others; see ``KEYS``."""
        return self[: len(KEYS)]


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """All mutants of a module, in the order of its text; equal ones once."""
    trees = set()
    alike: Counter[tuple[str, ...]] = Counter()
    tree = ast.parse(source)
    for parent, field, place, function in _places(tree, ""):
        old = _get(parent, field, place)
        before = ast.unparse(old)
        for new in _replacements(old):
            after = ast.unparse(ast.fix_missing_locations(new))
            _set(parent, field, place, ast.copy_location(new, old))
            mutated = ast.fix_missing_locations(copy.deepcopy(tree))
            _set(parent, field, place, old)
            if (text := ast.dump(mutated)) in trees or before == after:
                continue
            trees.add(text)
            alike[function, before, after] += 1
            nth = alike[function, before, after]
            line = getattr(old, "lineno", getattr(parent, "lineno", 0))
            yield Mutant(module, function, before, after, nth, line, mutated)


def with_hooks(tree: ast.Module) -> ast.Module:
    """The module, with functions that first call ``HOOK`` with their qualified name."""
    for parent, field, place, function in list(_places(tree, "")):
        node = _get(parent, field, place)
        if isinstance(node, ast.FunctionDef):
            node.body.insert(0, ast.parse(f"{HOOK}({function!r})").body[0])
    return ast.fix_missing_locations(tree)


def _get(parent: ast.AST, field: str, place: int | None) -> ast.AST:
    value = getattr(parent, field)
    return value if place is None else value[place]


def _set(parent: ast.AST, field: str, place: int | None, new: ast.AST) -> None:
    if place is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[place] = new


def _places(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str, int | None, str]]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_left_alone(child, function):
                continue
            name = getattr(child, "name", None)
            is_scope = isinstance(child, ast.FunctionDef | ast.ClassDef)
            if isinstance(node, ast.ClassDef) and not is_scope:
                continue
            inner = f"{function}.{name}".lstrip(".") if is_scope else function
            yield node, field, place, inner
            if not isinstance(child, ast.Raise | ast.JoinedStr):
                yield from _places(child, inner)


def _is_left_alone(node: ast.AST, function: str) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    is_alias = isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp)
    return is_alias and not function and not _has_values(node)


def _has_values(node: ast.AST) -> bool:
    """Whether there is a value in it, and not only the names of types."""
    if "Literal[" in ast.unparse(node):
        return False
    constants = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return any(value not in (None, ...) for value in constants)


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    for kind, replace in REPLACEMENTS:
        if isinstance(node, kind):
            yield from replace(node)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _without_each(node: ast.AST, *fields: str) -> Iterator[ast.AST]:
    """The node without one element of the lists in these fields, for each place."""
    for place in range(len(getattr(node, fields[0]))):
        yield _with(node, **{name: _without(getattr(node, name), place) for name in fields})


def _without(elements: list[object], place: int) -> list[object]:
    return [*elements[:place], *elements[place + 1 :]]


def _not(node: ast.expr) -> ast.expr:
    return node.operand if isinstance(node, ast.UnaryOp) else ast.UnaryOp(ast.Not(), node)


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    for place, old in enumerate(node.ops):
        for new in COMPARED[type(old)]:
            yield _with(node, ops=[*node.ops[:place], new(), *node.ops[place + 1 :]])


def _bool_op(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for rest in _without_each(node, "values"):
        yield rest if len(rest.values) > 1 else rest.values[0]


def _bin_op(node: ast.BinOp) -> Iterator[ast.AST]:
    if type(node.op) in CALCULATED:
        yield _with(node, op=CALCULATED[type(node.op)]())
        yield node.left


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield from (ast.Constant(value + 1), ast.Constant(value - 1))
    elif isinstance(value, str) and " " not in value.strip():
        has_words = any(character.isalnum() for character in value)
        yield ast.Constant(f"XX{value}XX" if has_words or not value else value[1:])


def _call(node: ast.Call) -> Iterator[ast.AST]:
    for place, old in enumerate(node.args):
        if isinstance(old, ast.Starred):
            yield _with(node, args=_without(node.args, place))
        else:
            yield _with(node, args=[*node.args[:place], NONE, *node.args[place + 1 :]])
    if len(node.args) > 1 and ast.unparse(node.func) not in ("min", "max"):
        yield _with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    yield from _without_each(node, "keywords")
    if isinstance(node.func, ast.Name):
        if node.func.id in CALLED:
            yield _with(node, func=ast.Name(CALLED[node.func.id]))
        if node.func.id in NOT_NEEDED and node.args:
            yield node.args[0]
    elif isinstance(node.func, ast.Attribute):
        if node.func.attr in CALLED:
            yield _with(node, func=_with(node.func, attr=CALLED[node.func.attr]))
        if node.func.attr in NOT_NEEDED_METHODS:
            yield node.func.value


def _elements(node: ast.Tuple | ast.List | ast.Set) -> Iterator[ast.AST]:
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        yield from _without_each(node, "elts")


def _slice(node: ast.Slice) -> Iterator[ast.AST]:
    for name in ("lower", "upper", "step"):
        if getattr(node, name):
            yield _with(node, **{name: None})


def _condition(node: ast.If | ast.IfExp | ast.While) -> Iterator[ast.AST]:
    yield _with(node, test=_not(node.test))
    if isinstance(node, ast.If):
        yield _with(node, test=ast.Constant(True))


def _value(node: ast.Return | ast.Assign | ast.AnnAssign) -> Iterator[ast.AST]:
    if node.value and ast.unparse(node.value) not in ("None", "False", "0", "''", "()", "[]"):
        yield _with(node, value=NONE)


REPLACEMENTS = (
    (ast.Compare, _compare),
    (ast.BoolOp, _bool_op),
    (ast.UnaryOp, lambda node: [node.operand]),
    (ast.BinOp, _bin_op),
    (ast.Constant, _constant),
    (ast.Call, _call),
    ((ast.Tuple, ast.List, ast.Set), _elements),
    (ast.Dict, lambda node: _without_each(node, "keys", "values")),
    (ast.Slice, _slice),
    (ast.comprehension, lambda node: _without_each(node, "ifs")),
    ((ast.If, ast.IfExp, ast.While), _condition),
    ((ast.Return, ast.Assign, ast.AnnAssign), _value),
    ((ast.Expr, ast.AugAssign, ast.Raise), lambda _: [ast.Pass()]),
    (ast.Continue, lambda _: [ast.Break()]),
    (ast.Break, lambda _: [ast.Continue()]),
)
