"""Asking for memory before it is needed: many games do not fit into a cache, and a table is a lot to wait for."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from mjenv.core.layout import Array
from mjenv.jit import jit

LINE = 64
"""Bytes that a cache holds together."""


def prefetch(address: int) -> None:
    """Ask for the cache line at `address`; the plain engine has no use for it."""


@intrinsic
def _prefetch(context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.PointerType(ir.IntType(8)))
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(function, [pointer, number(1), number(2), number(1)])
        return context.get_dummy_value()

    return types.void(types.intp), generate


@overload(prefetch)
def _prefetch_compiled(address: Any) -> Any:
    def ask(address: Any) -> None:
        _prefetch(address)

    return ask


@jit
def prefetch_record(records: Array, number: int, low: int, high: int) -> None:
    """Ask for bytes `low` to `high` - 1 of a record."""
    address = records.ctypes.data + number * records.itemsize
    for offset in range(low, high, LINE):
        prefetch(address + offset)
