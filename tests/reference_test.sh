#!/usr/bin/env bash
# Doxygen reads the installed headers without a warning, and shows what they say; without Doxygen the test is skipped.
#   reference_test.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
if ! command -v doxygen >/dev/null; then
  echo "skipped: doxygen is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# write OUTPUT INPUT…: what Doxygen says; the pages go to OUTPUT.
write() {
  { grep -v '^INPUT \|^ \|^OUTPUT_DIRECTORY\|\\$' "$build/reference/Doxyfile"; echo "OUTPUT_DIRECTORY = $1"; echo "INPUT = ${*:2}"; } |
    doxygen - 2>&1
}
mapfile -t headers < <(sed -n '/^INPUT /,/[^\\]$/p' "$build/reference/Doxyfile" | sed 's/^INPUT *=//; s/\\$//' | tr -s ' ' '\n' | sed '/^$/d')
[ "${#headers[@]}" -gt 300 ] || { echo "only ${#headers[@]} headers"; exit 1; }

warnings=$(write "$work/all" "${headers[@]}")
if [ -n "$warnings" ]; then
  echo "$warnings"
  exit 1
fi
# Comments have come through: of a class, of a member behind it, of a file.
grep -q 'How long an acquire keeps trying' "$work/all/html/classpicklock_1_1Patience.html"
grep -q 'grants in the order of arrival' "$work/all/html/structpicklock_1_1Claims.html"
grep -q 'One line of the table in locks' "$work/all/html/structpicklock_1_1LockKind.html"

# The test can fail: a command that Doxygen does not know.
mkdir "$work/broken"
printf '// A file.\n#pragma once\n\n/** \\nosuchcommand */\nint f();\n' >"$work/broken/broken.hpp"
broken=$(write "$work/other" "$work/broken/broken.hpp")
grep -q nosuchcommand <<<"$broken"
echo "1 passed, 0 failed"
