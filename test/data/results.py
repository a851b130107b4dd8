"""Results in any decomposition as dense arrays."""

import re

import numpy as np


def choices(notation):
    """of each label of a notation: 0 if it is demoted, else the size of its blocks, 1 if it is promoted"""
    found = []
    for label, size in re.findall(r"([A-Za-z_0-9]+)(?::([0-9]+))?", notation[notation.index("[") + 1 :]):
        found.append(int(size) if size else 1 if label.isupper() else 0)
    return found


def read_result(cursor, relation, notation, shape):
    """indices that are not stored are 0; two rows for one key are an error"""
    sizes = choices(notation)
    keyed = [d for d, size in enumerate(sizes) if size]
    result = np.zeros(shape)
    cursor.execute("select * from " + relation)
    seen = set()
    for *keys, value in cursor:
        if tuple(keys) in seen:
            raise ValueError("%s has two rows for %s" % (notation, keys))
        seen.add(tuple(keys))
        where = [slice(None)] * len(shape)
        for d, key in zip(keyed, keys):
            where[d] = key if sizes[d] == 1 else slice(key * sizes[d], (key + 1) * sizes[d])
        where = tuple(where)
        if isinstance(value, str):
            value = np.array(value.translate(str.maketrans("[]", "  ")).split(","), dtype=float).reshape(result[where].shape)
        result[where] = value
    return result
