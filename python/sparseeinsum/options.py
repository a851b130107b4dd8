"""The named options of the SQL functions, typed, so that a misspelled one is found before it runs."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class SearchOptions(TypedDict, total=False):
    search: Literal["dp", "greedy", "as_written"]
    alternative: int
    inputs: Literal["as_stored", "any"]
    result: Literal["auto", "rows", "dense"]
    materialize: Literal["auto", "never", "always", "incremental"]
    rewrite: Literal["distribute", "reassociate", "none"]
    estimator: Literal["distinct", "uniform", "chain"]
    schema: str


class PlanOptions(SearchOptions, total=False):
    plans: int
    actual: bool
    at: Sequence[str]
    iterate: bool
    init: str


class DecomposeOptions(SearchOptions, total=False):
    replace: bool
    security_invoker: bool


class IterateOptions(TypedDict, total=False):
    until: str
    max_rounds: int
    schema: str
    assign: Sequence[str]
    restart: bool
    result: Literal["rows", "auto"]
    on_change: Literal["restart", "resume"]
    search: Literal["dp", "greedy", "as_written"]
    rewrite: Literal["distribute", "reassociate", "none"]
    estimator: Literal["distinct", "uniform", "chain"]


class GradientOptions(TypedDict, total=False):
    stored: Sequence[str]
    prefix: str
    init: str


class RegisterOptions(TypedDict, total=False):
    fill: float
    duplicates: Literal["error", "trust", "sum"]
    replace: bool
    storage: Literal["only", "further"]
    one_hot: bool
    nulls: Literal["row", "entry"]
    layout: str


def checked(options: Mapping[str, Any], known: type[Any]) -> dict[str, Any]:
    """The options that are given, None being as if it were not.

    Raises TypeError for a name that the TypedDict known has not, naming the nearest that it has.
    """
    names = list(known.__annotations__)
    for option in options:
        if option not in names and (hasattr(options[option], "__array__") or isinstance(options[option], list)):
            raise TypeError(f"unknown option {option!r}: a program reads tensors that are stored, by store(conn, '{option}[I,J]', array)")
        if option not in names:
            near = difflib.get_close_matches(option, names, 1)
            also = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
            raise TypeError(f"unknown option {option!r}: {also}")
    return {name: value for name, value in options.items() if value is not None}
