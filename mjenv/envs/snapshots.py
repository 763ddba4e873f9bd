"""A state as bytes: a header, the table record, the bookkeeping, and a digest over all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from mjenv.core.layout import Array
from mjenv.core.rules import Rules
from mjenv.core.table import TABLE

MAGIC = b"mjenv snapshot\n"
VERSION = 1
DIGEST_BYTES = 32


def layout_digest() -> str:
    """Eight hex digits that change when a field of `TABLE` moves."""
    return hashlib.sha256(repr(TABLE.descr if TABLE.names is None else TABLE.fields).encode()).hexdigest()[:8]


def pack(rules: Rules, table: Array, books: Mapping[str, Any]) -> bytes:
    """One table and what its environment remembers, as bytes."""
    header = {"variant": rules.variant, "rules": rules.digest, "layout": layout_digest(), "version": VERSION}
    parts = [json.dumps(header, sort_keys=True).encode(), json.dumps(books).encode()]
    body = MAGIC + b"".join(len(part).to_bytes(8, "big") + part for part in [*parts, table.tobytes()])
    return body + hashlib.sha256(body).digest()


def _parts(body: bytes) -> list[bytes]:
    parts = []
    position = len(MAGIC)
    while position < len(body):
        size = int.from_bytes(body[position : position + 8], "big")
        parts.append(body[position + 8 : position + 8 + size])
        position += 8 + size
    return parts


def unpack(rules: Rules, snapshot: bytes) -> tuple[Array, dict[str, Any]]:
    """The table and the bookkeeping of a snapshot taken under the same rules.

    Raises `ValueError` if it is no snapshot, was cut or edited, or belongs to another variant, rules or version.
    """
    if not isinstance(snapshot, bytes | bytearray | memoryview):
        raise ValueError(f"a snapshot is bytes, not {type(snapshot).__name__}")
    snapshot = bytes(snapshot)
    if not snapshot.startswith(MAGIC):
        raise ValueError("these bytes are no mjenv snapshot")
    body, digest = snapshot[:-DIGEST_BYTES], snapshot[-DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError("the snapshot is cut or edited: its digest does not match")
    header_bytes, books_bytes, table_bytes = _parts(body)
    header = json.loads(header_bytes)
    wanted = {"variant": rules.variant, "rules": rules.digest, "layout": layout_digest(), "version": VERSION}
    for name, value in wanted.items():
        if header[name] != value:
            raise ValueError(f"the snapshot has {name} {header[name]!r}, this environment {value!r}")
    return np.frombuffer(table_bytes, TABLE).copy(), json.loads(books_bytes)
