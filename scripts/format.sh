#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings all C++ files into the layout of .clang-format, without braces around single statements. Usage: format.sh
# [CLANG_FORMAT]. Versions differ in details: the repository's layout is that of clang-format 14.
set -euo pipefail
cd "$(dirname "$0")/.."
format=${1:-clang-format-14}
mapfile -t files < <(git ls-files '*.h' '*.cpp')
without_braces=$(mktemp)
trap 'rm -f "$without_braces"' EXIT
cat .clang-format - > "$without_braces" <<< "RemoveBracesLLVM: true"
# The run that takes braces away breaks lambdas in its own way, so the second one decides about lines.
"$format" -i --style="file:$without_braces" "${files[@]}"
"$format" -i --style=file "${files[@]}"
