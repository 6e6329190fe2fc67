#!/usr/bin/env bash
# Installs the build, then builds and runs the examples against what was installed, as a user's project would.
#   consumer_test.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/installed" >/dev/null
cmake -G Ninja -S "$source/examples/cautious_lock" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="${CXX:-g++}" -DCMAKE_CXX_STANDARD=20 -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build "$work/build" >/dev/null
(cd / && PICKLOCK_LIBRARY="$work/installed/share/picklock/scenarios" "$work/build/cautious_lock") | tee "$work/out"
grep -q '^margin  0ms: mutual-exclusion violated in 1000 of 1000 runs$' "$work/out"
grep -q '^margin 20ms: mutual-exclusion violated in 0 of 1000 runs$' "$work/out"

cmake -G Ninja -S "$source/examples/own_model" -B "$work/own_model" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="${CXX:-g++}" -DCMAKE_CXX_STANDARD=20 -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build "$work/own_model" >/dev/null
(cd / && "$work/own_model/own_model") | diff "$source/examples/own_model/expected.txt" -

# The examples, and the headers that they include, compile without a warning.  g++ 12 refuses some coroutines, and doubts some copies,
# only when it makes code.
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  for example in cautious_lock/main.cpp own_lock/main.cpp own_lock/own_lock.cpp own_lock/own_lock_test.cpp own_model/main.cpp \
      own_fenced_lock/own_fenced_lock.cpp own_queue_lock/own_queue_lock.cpp; do
    "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror -O3 -c -o /dev/null -I "$work/installed/include/picklock" "$source/examples/$example"
  done
done

if command -v pkg-config >/dev/null; then
  libraries=$(PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name picklock.pc)") pkg-config --libs picklock)
  # shellcheck disable=SC2086
  "${CXX:-g++}" "$(find "$work/own_model" -name main.cpp.o)" $libraries -o "$work/linked"
  "$work/linked" | diff "$source/examples/own_model/expected.txt" -
fi
test -s "$work/installed/share/man/man1/picklock.1"

# Links of the installed pages lead to installed files.
links=0
while IFS=: read -r page link; do
  links=$((links + 1))
  [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link is not installed"; exit 1; }
done < <(grep -roE '\]\([^)#: ]+\.(md|svg|cff)' --include=*.md "$work/installed/share/doc" | sed 's/](//')
[ "$links" -gt 120 ] || { echo "only $links links"; exit 1; }

(cd / && "$work/installed/bin/picklock" run paused_holder >/dev/null)

# A program finds what it needs beside the installed command.
if /usr/bin/python3 -c 'import redis' 2>/dev/null; then
  lock="/usr/bin/python3 $(find "$work/installed" -name redis_py.py)"
  (cd / && "$work/installed/bin/picklock" run paused_holder --lock "$lock" >"$work/out" || true)
  grep -q 'both believed that they held lock' "$work/out"
fi
echo "1 passed, 0 failed"
