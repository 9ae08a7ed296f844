#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, then configures and builds a preset in build-<preset>.
#
#   scripts/build.sh <preset> [cmake --build option...]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?"usage: scripts/build.sh <preset> [cmake --build option...]"}
shift

scripts/setup.sh
if [[ ! -e build-$preset/build.ninja ]]; then
  options=()
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  cmake --preset "$preset" "${options[@]}"
fi
cmake --build "build-$preset" --parallel "$(nproc)" "$@"
