#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs what gpu_check.sh needs into one folder, for machines without compilers, Vulkan loader and package registry: the
# script and an archive, which the script unpacks beside itself.
#
#   scripts/gpu_pack.sh FOLDER                 builds the preset release first
#   scripts/gpu_pack.sh FOLDER --from BUILD    packs what that build folder has
#
# The machine needs Python 3 and a C library of at least the version MILLRACE_PACK_GLIBC (2.39, that of Ubuntu 24.04),
# which the script makes sure of, and a Vulkan driver. What the folder may weigh is MILLRACE_PACK_MIB (40).
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
readonly NEWEST_GLIBC=${MILLRACE_PACK_GLIBC:-2.39}
readonly MOST_MIB=${MILLRACE_PACK_MIB:-40}
readonly PROGRAMS=(tests/conformance/test_conformance tests/programs/test_programs tests/limits/test_limits
                   tests/commands/test_generated_commands tests/commands_shaders/test_commands_shaders
                   tests/mesh/test_mesh_nodes tests/mesh/test_mesh_shaders tests/mesh/test_random_mesh_shaders
                   tests/random/random_graphs tests/drivers/num_workgroups tools/millrace examples/mandelbrot/mandelbrot
                   bench/bench_generated bench/bench_mesh)
readonly TARGETS=(test_conformance test_programs program_shaders test_limits test_generated_commands test_commands_shaders
                  test_mesh_nodes test_mesh_shaders test_random_mesh_shaders
                  random_graphs num_workgroups millrace mandelbrot bench_generated bench_mesh
                  VkLayer_MILLRACE_emulation)
# What drivers want of a machine without a desktop: the loader's own and NVIDIA's.
readonly FOR_DRIVERS=(libvulkan.so.1 libX11.so.6 libXext.so.6 libGLdispatch.so.0 libGLX.so.0 libEGL.so.1)

say() { echo "gpu_pack: $*" >&2; }

usage() {
  say "usage: scripts/gpu_pack.sh FOLDER [--from BUILD]"
  exit 2
}

# The files of shared libraries that the given files need, but for the C library's own.
libraries_of() {
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so[^/]*$' || true
}

copy_libraries() {
  local name file
  for name in "${FOR_DRIVERS[@]}"; do
    file=$(ldconfig -p | awk -v name="$name" '$1 == name && /x86-64/ && !found { found = 1; print $NF }')
    if [[ -z $file ]]; then
      say "this machine has no $name, which drivers may need (Debian: libvulkan1 libx11-6 libxext6 libegl1 libglx0)"
      exit 1
    fi
    cp -L "$file" "$contents/lib/$name"
  done
  while read -r file; do
    cp -L "$file" "$contents/lib/$(basename "$file")"
  done < <(libraries_of "$contents"/bin/* "$contents"/lib/*.so.*)
}

copy_examples() {
  local graph
  for graph in "$sources"/examples/*/graph.json; do
    cp -R "$(dirname "$graph")" "$contents/examples/"
  done
  cp "$sources"/tests/examples/*.py "$contents/tests/"
}

# Symbols of a C library that is newer than the machine's.
check_symbols() {
  local newest
  newest=$(find "$contents" -name '*.so*' -o -path '*/bin/*' -type f | xargs objdump -T 2>/dev/null |
             grep -o 'GLIBC_[0-9.]*[0-9]' | sed s/GLIBC_// | sort -Vu | tail -1)
  if [[ $(printf '%s\n' "$newest" "$NEWEST_GLIBC" | sort -V | tail -1) != "$NEWEST_GLIBC" ]]; then
    say "a program or library needs the C library $newest; machines may have $NEWEST_GLIBC"
    exit 1
  fi
}

check_size() {
  local kib
  kib=$(du -sk "$folder" | cut -f1)
  if ((kib > MOST_MIB * 1024)); then
    say "$folder has $kib KiB, more than $MOST_MIB MiB"
    exit 1
  fi
  say "$folder: $((kib / 1024)) MiB, commit $(name_commit)"
}

# The commit, with a mark if files differ from it.
name_commit() {
  local name
  name=$(git -C "$sources" rev-parse --short HEAD 2>/dev/null) || name=unknown
  if [[ $name != unknown && -n $(git -C "$sources" status --porcelain --untracked-files=no) ]]; then
    name+=+
  fi
  echo "$name"
}

[[ $# -eq 1 || ($# -eq 3 && $2 == --from) ]] || usage
folder=$1
build=${3:-$sources/build-release}
if [[ $# -eq 1 ]]; then
  "$sources/scripts/build.sh" release tests --target "${TARGETS[@]}"
fi
if [[ -e $folder && ! -e $folder/contents.tar.gz && ! -e $folder/contents && -n $(ls -A "$folder") ]]; then
  say "$folder is not empty and no folder of this script's"
  exit 1
fi
rm -rf "$folder"
contents=$folder/contents
mkdir -p "$contents"/{bin,lib,layer,shaders,examples,tests,gpu}
cp "$sources/scripts/gpu_check.sh" "$folder/"

for program in "${PROGRAMS[@]}"; do
  strip -o "$contents/bin/$(basename "$program")" "$build/$program"
done
strip --strip-unneeded -o "$contents/layer/libVkLayer_MILLRACE_emulation.so" \
  "$build/src/layer/libVkLayer_MILLRACE_emulation.so"
cp "$build/src/layer/VkLayer_MILLRACE_emulation.json" "$contents/layer/"
cp "$build"/tests/programs/shaders/*.spv "$contents/shaders/"
cp "$sources"/scripts/gpu/*.py "$contents/gpu/"
copy_examples
copy_libraries
name_commit > "$contents/commit"
check_symbols
tar -C "$folder" -czf "$folder/contents.tar.gz" contents
rm -r "$contents"
check_size
