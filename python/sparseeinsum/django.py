"""The field of tensors in Django's models.

    class Node(models.Model):
        embedding = TensorField(dtype="float4", rank=1)

and in a migration before it: ``operations = [TensorExtension()]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from django.contrib.postgres.operations import CreateExtension
from django.core.exceptions import ValidationError
from django.db.models import Field

from .sparse import is_sparse
from .tensor import DTYPES, as_elements, from_binary, from_text, to_text


class TensorExtension(CreateExtension):
    """Creates the extension in a migration."""

    def __init__(self) -> None:
        super().__init__("sparseeinsum")


class TensorField(Field):
    """tensor, tensor(dtype) or tensor(dtype,rank), whose values are numpy arrays; sparse values are sparse arrays of scipy or
    SparseTensor.

    >>> TensorField(dtype="float4", rank=1).db_type(None)
    'tensor(float4,1)'
    """

    description = "Tensor"
    empty_strings_allowed = False

    def __init__(self, *args: Any, dtype: str | None = None, rank: int | None = None, **kwargs: Any) -> None:
        if dtype is not None and dtype not in DTYPES:
            raise ValueError(f"unknown element type {dtype!r}: use one of {', '.join(DTYPES)}")
        if rank is not None and dtype is None:
            raise ValueError("a rank needs an element type, as in TensorField(dtype='float8', rank=2)")
        self.dtype = dtype
        self.rank = rank
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        if self.dtype is not None:
            kwargs["dtype"] = self.dtype
        if self.rank is not None:
            kwargs["rank"] = self.rank
        return name, path, args, kwargs

    def db_type(self, connection: Any) -> str:
        given = [str(part) for part in (self.dtype, self.rank) if part is not None]
        return f"tensor({','.join(given)})" if given else "tensor"

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return self.to_python(value)

    def to_python(self, value: Any) -> Any:
        if isinstance(value, (bytes, memoryview)):
            return from_binary(value)
        if value is None or isinstance(value, np.ndarray) or is_sparse(value):
            return value
        try:
            return from_text(value) if isinstance(value, str) else as_elements(value)
        except (TypeError, ValueError) as error:
            raise ValidationError(str(error)) from error

    def get_prep_value(self, value: Any) -> str | None:
        return value if value is None or isinstance(value, str) else to_text(value)

    def value_to_string(self, obj: Any) -> str:
        value = self.get_prep_value(self.value_from_object(obj))
        return "" if value is None else value
