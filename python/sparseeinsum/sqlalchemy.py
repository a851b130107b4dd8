"""The column type of tensors in SQLAlchemy 2, with reflection, and Alembic.

    class Node(Base):
        id: Mapped[int] = mapped_column(primary_key=True)
        embedding = mapped_column(Tensor("float4", 1))

In Alembic's env.py, so that migrations import what they name, and leave the extension's own tables alone::

    context.configure(
        ...,
        render_item=sparseeinsum.sqlalchemy.render_item,
        include_object=sparseeinsum.sqlalchemy.include_object,
    )
"""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import Dialect, String
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.types import UserDefinedType

from .tensor import DTYPES, MAX_RANK, from_text, to_text


class Tensor(UserDefinedType[Any]):
    """tensor, tensor(dtype) or tensor(dtype,rank), whose values are numpy arrays; sparse values are sparse arrays of scipy or
    SparseTensor.

    dtype: float4, float8, complex8, complex16 or none; rank: 0 to 16 or none.

    >>> Tensor("float4", 1).get_col_spec()
    'tensor(float4,1)'

    Raises ValueError for others, and for a rank without a dtype.
    """

    cache_ok = True

    def __init__(self, dtype: str | None = None, rank: int | str | None = None) -> None:
        super().__init__()
        if dtype is not None and dtype not in DTYPES:
            raise ValueError(f"unknown element type {dtype!r}: use one of {', '.join(DTYPES)}")
        if rank is not None and dtype is None:
            raise ValueError("a rank needs an element type, as in Tensor('float8', 2)")
        # reflection passes the modifier's text
        self.dtype = dtype
        self.rank = None if rank is None else int(rank)
        if self.rank is not None and not 0 <= self.rank <= MAX_RANK:
            raise ValueError(f"rank {self.rank} is not between 0 and {MAX_RANK}")

    def get_col_spec(self, **_: Any) -> str:
        given = [str(part) for part in (self.dtype, self.rank) if part is not None]
        return f"tensor({','.join(given)})" if given else "tensor"

    def bind_processor(self, dialect: Dialect) -> Any:
        def process(value: Any) -> str | None:
            return value if value is None or isinstance(value, str) else to_text(value)

        return process

    def literal_processor(self, dialect: Dialect) -> Any:
        quote: Any = String()._cached_literal_processor(dialect)

        def process(value: Any) -> Any:
            return quote(value if isinstance(value, str) else to_text(value))

        return process

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        def process(value: Any) -> Any:
            return from_text(value) if isinstance(value, str) else value

        return process

    def compare_values(self, x: Any, y: Any) -> bool:
        """Whether an attribute has not changed: arrays are compared as a whole."""
        if x is None or y is None or isinstance(x, str) or isinstance(y, str):
            return x is y or (isinstance(x, str) and x == y)
        return to_text(x) == to_text(y)


ischema_names["tensor"] = Tensor

# the extension's own
_TABLES = ("einsum_statistics", "einsum_statistics_dump")


def render_item(type_: str, obj: Any, autogen_context: Any) -> str | Literal[False]:
    """How Alembic writes the type into a migration, with its import."""
    if type_ == "type" and isinstance(obj, Tensor):
        autogen_context.imports.add("import sparseeinsum.sqlalchemy")
        return f"sparseeinsum.sqlalchemy.{obj!r}"
    return False


def include_object(_object: Any, name: str | None, type_: str, reflected: bool, compare_to: Any) -> bool:
    """Whether Alembic looks at something: not at the extension's own tables, which no model has."""
    return not (type_ == "table" and name in _TABLES and reflected and compare_to is None)
