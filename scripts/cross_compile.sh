#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the sources of the layer for another system, and links nothing: what only one system has is found (docs/install.md).
#
#   scripts/cross_compile.sh BUILD COMPILER [SOURCE...]
#   scripts/cross_compile.sh build-dev x86_64-w64-mingw32-g++-posix
#
# BUILD is the folder of a build on this machine, which has what is generated. Headers of Vulkan, SPIRV-Tools and the
# memory allocator are this machine's, which are the same everywhere. Without SOURCE all sources of the layer.
set -euo pipefail
if [[ $# -lt 2 ]]; then
  sed -n '3,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$(realpath "$1")
compiler=$2
shift 2
cd "$(dirname "$0")/.."
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
# One by one: the rest of the folder is the C library of this system.
for name in vulkan vk_video spirv spirv-tools vk_mem_alloc.h; do
  ln -s "/usr/include/$name" "$headers/$name"
done

sources=("$@")
if [[ ${#sources[@]} -eq 0 ]]; then
  mapfile -t sources < <(find src/{base,spirv,graph,data,trace,shader,nodes,commands,mesh,runtime,settings,layer} -name '*.cpp' \
    ! -path 'src/base/system_*' | sort)
  case $("$compiler" -dumpmachine) in
    *mingw*) sources+=(src/base/system_windows.cpp) ;;
    *linux*) sources+=(src/base/system_linux.cpp) ;;
    *) sources+=(src/base/system_bsd.cpp) ;;
  esac
fi

generated=()
for folder in "$build"/src/shaders/*/shaders; do
  generated+=("-I${folder%/shaders}")
done
compile() {
  "$compiler" -std=c++20 -fsyntax-only -w -DVK_ENABLE_BETA_EXTENSIONS= -DMILLRACE_VERSION='"0"' -Isrc -I"$headers" \
    "${generated[@]}" "$1" || { echo "does not compile: $1"; return 1; }
}
failed=0
for source in "${sources[@]}"; do
  compile "$source" || failed=$((failed + 1))
done
echo "$((${#sources[@]} - failed)) of ${#sources[@]} sources compile with $compiler"
[[ $failed -eq 0 ]]
