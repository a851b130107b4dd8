"""PostgreSQL's binary COPY to and from numpy arrays.

All rows of a table here are of one length, so that a structured array is the
file. A column is int4, float8, or a tensor of float8 of a fixed shape: format,
element type, rank and flags in a byte each, an int4 for every bound, and the
elements, all in network order.
"""

import io

import numpy as np

SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
FORMAT, FLOAT8 = 1, 2
CHUNK = 64 << 20


def row_type(columns):
    """columns: 'int', 'float', or the shape of a tensor"""
    fields = [("count", ">i2")]
    for n, column in enumerate(columns):
        fields.append(("length%d" % n, ">i4"))
        if column == "int":
            fields.append(("value%d" % n, ">i4"))
        elif column == "float":
            fields.append(("value%d" % n, ">f8"))
        else:
            fields += [("header%d" % n, "u1", 4), ("bounds%d" % n, ">i4", (len(column),)), ("value%d" % n, ">f8", column)]
    return np.dtype(fields)


def encode(columns, arrays):
    rows = np.zeros(len(arrays[0]), dtype=row_type(columns))
    rows["count"] = len(columns)
    for n, (column, array) in enumerate(zip(columns, arrays)):
        rows["value%d" % n] = array
        if column == "int" or column == "float":
            rows["length%d" % n] = 4 if column == "int" else 8
        else:
            rows["length%d" % n] = 4 + 4 * len(column) + 8 * int(np.prod(column))
            rows["header%d" % n] = [FORMAT, FLOAT8, len(column), 0]
            rows["bounds%d" % n] = column
    return rows



def copy_in(cursor, table, columns, arrays):
    step = max(1, CHUNK // row_type(columns).itemsize)
    for start in range(0, len(arrays[0]), step):
        rows = encode(columns, [array[start:start + step] for array in arrays])
        cursor.copy_expert("copy %s from stdin (format binary)" % table,
                           io.BytesIO(b"".join([SIGNATURE, rows.tobytes(), TRAILER])))


def copy_out(cursor, query, columns):
    """an array in native order for each column"""
    buffer = io.BytesIO()
    cursor.copy_expert("copy (%s) to stdout (format binary)" % query, buffer)
    data = buffer.getbuffer()[len(SIGNATURE):-len(TRAILER)]
    rows = np.frombuffer(data, dtype=row_type(columns))
    return [rows["value%d" % n].astype({"int": np.int32}.get(column, np.float64))
            if isinstance(column, str) else rows["value%d" % n].astype(np.float64)
            for n, column in enumerate(columns)]
