"""Reader of frames.arrow, the numbers of a run: an Arrow IPC stream of float64 without nulls and without compression.

Metadata is flatbuffers (Arrow's Message.fbs and Schema.fbs): field n of a table is at slot 4 + 2n of its vtable. No
count is believed that the bytes of the file cannot hold.
"""
import hashlib
import struct
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

from ._errors import Error

SCHEMA, BATCH, FLOAT, FLOAT64 = 1, 3, 3, 2  # values of unions and of Precision

# A signal. Its values are a numpy array, or a list without numpy.
Column = NamedTuple("Column", [("name", str), ("unit", str), ("values", Any)])

class Table:
    """A table of flatbuffers at a position of its message."""
    def __init__(self, data: memoryview, at: int) -> None:
        self.data, self.at = data, at
        self.vtable = at - self.number("<i", at)

    def number(self, form: str, at: int) -> int:
        return struct.unpack_from(form, self.data, at)[0]

    def get(self, slot: int, form: str) -> int:
        at = self.place(slot)
        return self.number(form, at) if at else 0

    def place(self, slot: int) -> int:
        """Where a field is; 0: it is not there."""
        offset = self.number("<H", self.vtable + slot) if slot < self.number("<H", self.vtable) else 0
        return self.at + offset if offset else 0

    def vector(self, slot: int, size: int) -> range:
        """Where the elements of a vector are."""
        at = self.place(slot)
        if not at:
            return range(0)
        at += self.number("<I", at)
        n = self.number("<I", at)
        if at + 4 + n * size > len(self.data):
            raise Error(f"a list of {n} entries in {len(self.data)} bytes")
        return range(at + 4, at + 4 + n * size, size)

    def follow(self, at: int) -> "Table":
        return Table(self.data, at + self.number("<I", at))

    def text(self, slot: int) -> str:
        found = self.vector(slot, 1)
        return bytes(self.data[found.start:found.stop]).decode("utf-8")

def _column(field: Table) -> Column:
    name, kind = field.text(4), field.place(10)
    if field.get(8, "<B") != FLOAT or not kind or field.follow(kind).get(4, "<h") != FLOAT64:
        raise Error(f"column {name!r} is of another type: want float64")
    about = {pair.text(4): pair.text(6) for pair in map(field.follow, field.vector(16, 4))}
    return Column(name, about.get("unit", ""), [])

def _batch(head: Table, body: memoryview, columns: List[Column]) -> None:
    """Adds the pieces of one batch to the columns."""
    rows, nodes, buffers = head.get(4, "<q"), head.vector(6, 16), head.vector(8, 16)
    if head.place(10):
        raise Error("a compressed batch: want one without compression")
    if rows < 0 or len(nodes) != len(columns) or len(buffers) != 2 * len(columns):
        raise Error(f"a batch of {rows} rows and {len(nodes)} columns: want {len(columns)} columns")
    for column, node, buffer in zip(columns, nodes, buffers[1::2]):  # buffers of validity, between these, are empty
        (values, nulls), start = struct.unpack_from("<qq", head.data, node), head.number("<q", buffer)
        if values != rows or nulls != 0 or start < 0 or start + 8 * rows > len(body):
            raise Error(f"column {column.name!r} has {values} values and {nulls} nulls at byte {start} of {len(body)}: "
                        f"want {rows} and none")
        column.values.append(body[start:start + 8 * rows])

def _joined(pieces: List[memoryview]) -> Any:
    try:
        import numpy
    except ImportError:
        return [value for piece in pieces for (value,) in struct.iter_unpack("<d", piece)]
    return numpy.frombuffer(b"".join(pieces), dtype="<f8").copy()  # a copy can be written to

def _decoded(data: memoryview) -> List[Column]:
    columns, at = [], 0
    while at + 8 <= len(data):
        mark, size = struct.unpack_from("<II", data, at)
        if mark != 0xFFFFFFFF:
            raise Error(f"a message begins with {mark:#x}: want 0xffffffff")
        if size == 0:
            return columns
        body = at + 8 + size
        table = Table(data[at + 8:body], struct.unpack_from("<I", data[at + 8:body])[0])
        kind, head, at = table.get(6, "<B"), table.place(8), body + table.get(10, "<q")
        if not head or kind != (BATCH if columns else SCHEMA):
            raise Error(f"a message of kind {kind}: want {'a batch' if columns else 'a schema'}")
        if not body <= at <= len(data):
            break
        if columns:
            _batch(table.follow(head), data[body:at], columns)
            continue
        schema = table.follow(head)
        if schema.get(4, "<h") != 0:
            raise Error("big-endian values: want little-endian")
        columns = [_column(schema.follow(field)) for field in schema.vector(6, 4)]
    raise Error("the stream is cut off")

def read(path: Path, sums: Optional[List[Dict[str, Any]]] = None) -> List[Column]:
    """Reads the columns of a file whose SHA-256 is the one that the run has noted, if it has noted one."""
    data = path.read_bytes()
    try:
        for entry in sums or []:
            if entry["file"] == path.name and entry["sha256"] != hashlib.sha256(data).hexdigest():
                raise Error("its bytes are not those that the run has written: want the record of the run unchanged")
        columns = _decoded(memoryview(data))
    except (Error, struct.error, UnicodeDecodeError) as found:
        raise Error(f"{path}: {found}: want the file of a run that has ended (rths recover completes others)") from None
    return [column._replace(values=_joined(column.values)) for column in columns]
