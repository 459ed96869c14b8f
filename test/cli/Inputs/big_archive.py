# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a TorchScript archive with one weight of N floats; its bytes are a hole
in the file, so that it takes no room. As LibTorch, it uses zip's 64-bit sizes."""
import struct
import sys
import zlib

path, count = sys.argv[1], int(sys.argv[2])


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def whole(n):
    return b"\x8a\x08" + struct.pack("<q", n)


STORAGE = (b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") +
           text("cpu") + whole(count) + b"tQ")
TENSOR = (b"ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE + whole(0) + b"(" +
          whole(count) + b"t(" + whole(1) + b"t\x89ccollections\nOrderedDict\n)RtR")
PICKLE = (b"\x80\x02c__torch__\nNet\n)\x81}(" + text("weight") + TENSOR + b"ub.")
CODE = b'class Net(Module):\n  __parameters__ = ["weight", ]\n'
ENTRIES = [("net/data/0", None), ("net/data.pkl", PICKLE),
           ("net/code/__torch__.py", CODE)]

with open(path, "wb") as out:
    directory = b""
    for name, data in ENTRIES:
        size, start = count * 4 if data is None else len(data), out.tell()
        crc = 0 if data is None else zlib.crc32(data)
        extra = struct.pack("<HHQQQ", 1, 24, size, size, start)
        common = struct.pack("<HHHHHIIIHH", 45, 0, 0, 0, 0, crc, 0xffffffff, 0xffffffff,
                             len(name), len(extra))
        directory += (b"PK\1\2" + struct.pack("<H", 45) + common +
                      struct.pack("<HHHII", 0, 0, 0, 0, 0xffffffff) +
                      name.encode() + extra)
        out.write(b"PK\3\4" + common + name.encode() + extra + (data or b""))
        if data is None:
            out.truncate(out.tell() + size)
            out.seek(0, 2)
    start = out.tell()
    out.write(directory)
    end = out.tell()
    n = len(ENTRIES)
    out.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, n, n,
                                     len(directory), start))
    out.write(b"PK\6\7" + struct.pack("<IQI", 0, end, 1))
    out.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xffff, 0xffff, 0xffffffff,
                                     0xffffffff, 0))
