// Asks the machine: `vramlint --dump-trace` shows what it knows of x, a line
// "reveal FILE:LINE ...". Not for programs that run.
#pragma once

template <typename T> void vramlint_reveal(const T &x);
