# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of templates that random programs are made of.

A template is a function of a Program. It yields an Expr that its caller binds or
uses as a temporary, or writes statements itself and yields nothing, or raises
Refused where it does not fit.
"""

OPS = []  # (name, weight, function)


def op(name, weight=1.0):
    def add(fn):
        OPS.append((name, weight, fn))
        return fn
    return add
