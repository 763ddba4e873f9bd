"""Structured record layouts in which a padded row can be read as bytes and as 64-bit words."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Record: TypeAlias = np.void
Array: TypeAlias = NDArray[Any]


class Field(NamedTuple):
    """One field: its name, base type, shape (empty for a number), and what it holds."""

    name: str
    base: Any
    shape: tuple[int, ...]
    doc: str


def offset_of(dtype: np.dtype[Any], name: str) -> int:
    """Where a field begins, in bytes."""
    fields: Any = dtype.fields
    return int(fields[name][1])


def record_dtype(
    fields: tuple[Field, ...], words: dict[str, str], leading: dict[str, int] | None = None
) -> np.dtype[Any]:
    """An aligned record dtype in which some memory has a second name.

    `words` maps an alias to the byte field that it re-reads as uint64 (last axis / 8); `leading` maps an alias to a
    number of 64-bit words at the start of the record.
    """
    names: list[str] = []
    formats: list[Any] = []
    offsets: list[int] = []
    position = 0
    at: dict[str, tuple[int, tuple[int, ...]]] = {}
    for field in fields:
        base = np.dtype(field.base)
        unit = 8 if field.name in words.values() else base.alignment
        position = -(-position // unit) * unit
        names.append(field.name)
        formats.append((base, field.shape) if field.shape else base)
        offsets.append(position)
        at[field.name] = position, field.shape
        position += base.itemsize * int(np.prod(field.shape, dtype=int))
    for alias, source in words.items():
        offset, shape = at[source]
        names.append(alias)
        formats.append((np.dtype("u8"), (*shape[:-1], shape[-1] // 8)))
        offsets.append(offset)
    for alias, count in (leading or {}).items():
        names.append(alias)
        formats.append((np.dtype("u8"), (count,)))
        offsets.append(0)
    size = -(-position // 8) * 8
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})
