#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, then configures and builds a preset in build-<preset>.
#
#   scripts/build.sh [--yes] [PRESET] [PARTS] [option of cmake --build...]
#     PRESET    one of CMakePresets.json; release if nothing is said
#     PARTS     tool    the layer, the C library and the tool; the default
#               demo    the layer and the demo
#               tests   everything
#   --yes       do not ask before packages are installed, see scripts/setup.sh
#
# What has been configured stays so: building the tool does not take tests away that are there.
set -euo pipefail
cd "$(dirname "$0")/.."

yes=()
if [[ ${1:-} == --yes ]]; then
  yes=(--yes)
  shift
fi
preset=release
if [[ $# -gt 0 && $1 != -* && ! $1 =~ ^(tool|demo|tests)$ ]]; then
  preset=$1
  shift
fi
parts=tool
if [[ ${1:-} =~ ^(tool|demo|tests)$ ]]; then
  parts=$1
  shift
fi

readonly SWITCHES=(LIBRARY TOOLS TESTS EXAMPLES BENCHMARKS)  # MILLRACE_BUILD_..., the layer is always built
case $parts in
  demo) wanted=(EXAMPLES) targets=(mandelbrot VkLayer_MILLRACE_emulation) ;;
  tool) wanted=(LIBRARY TOOLS) targets=(millrace millrace_manual millrace_api VkLayer_MILLRACE_emulation) ;;
  tests) wanted=("${SWITCHES[@]}") targets=(all) ;;
esac

scripts/setup.sh "${yes[@]}" "$parts"

# Runs CMake where a part is to be built that was not before.
configure() {
  local cache=build-$preset/CMakeCache.txt options=() switch
  for switch in "${SWITCHES[@]}"; do
    if [[ " ${wanted[*]} " == *" $switch "* ]]; then
      grep -qs "^MILLRACE_BUILD_$switch:BOOL=ON$" "$cache" || options+=("-DMILLRACE_BUILD_$switch=ON")
    elif [[ ! -e $cache ]]; then
      options+=("-DMILLRACE_BUILD_$switch=OFF")
    fi
  done
  if [[ ! -e build-$preset/build.ninja ]]; then
    if command -v ccache >/dev/null; then
      options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
  elif [[ ${#options[@]} -eq 0 ]]; then
    return
  fi
  cmake --preset "$preset" "${options[@]}"
}

configure
# Without these ccache keeps nothing that is compiled with precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
if [[ " $* " == *" --target "* || " $* " == *" -t "* ]]; then
  targets=()
fi
cmake --build "build-$preset" --parallel "$(nproc)" ${targets:+--target "${targets[@]}"} "$@"
