#!/usr/bin/env bash
# Every C++ file is as clang-format and the repository's own .clang-format write it.
#
#   tests/format_test.sh         names the lines that differ
#   tests/format_test.sh --fix   rewrites them
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run --Werror)
[ "${1:-}" != --fix ] || mode=(-i)
find . \( -name build -o -name .git \) -prune -o \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
  xargs -0 -P "$(nproc)" -n 60 clang-format "${mode[@]}"
