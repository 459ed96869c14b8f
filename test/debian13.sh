#!/usr/bin/env bash
# Tries the project on Debian 13 (LLVM 19, LibTorch 2.6, GCC 14, CMake 3.31): a fresh
# chroot, a clone of the last commit in it, and there "./x demo" and "./x test", as a
# newcomer would.
#
#   test/debian13.sh [FOLDER] [-- COMMAND...]
#
# FOLDER (build/debian13) keeps the chroot, about 6 GB; a second run finds it there
# and is quicker. COMMAND replaces ./x demo && ./x test. Needs root.
set -euo pipefail
top=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)

folder=$top/build/debian13
if [ $# -gt 0 ] && [ "$1" != -- ]; then folder=$1; shift; fi
[ "${1:-}" != -- ] || shift
[ "$(id -u)" = 0 ] || { echo "debian13.sh: a chroot needs root" >&2; exit 2; }

mkdir -p "$(dirname "$folder")"
"$top/tool/dev/get-libtorch" 2.6.0 "$folder" --runtime >/dev/null

inside=$folder/root/work/vramlint
commit=$(git -C "$top" rev-parse HEAD)
echo "==> $commit in a chroot of Debian 13" >&2
if [ -d "$inside/.git" ]; then
  # What was built stays: this is then an incremental build.
  git -C "$inside" -c safe.directory='*' fetch -q "$top" "$commit"
  git -C "$inside" -c safe.directory='*' checkout -q --force "$commit"
else
  git clone -q --no-hardlinks "$top" "$inside"
  git -C "$inside" checkout -q "$commit"
fi
# The mirror's name resolves inside as it does here.
cp -L /etc/resolv.conf "$folder/root/etc/resolv.conf"

if [ $# -eq 0 ]; then set -- sh -c './x demo && ./x test'; fi
exec "$folder/run" env -C /work/vramlint "$@"
