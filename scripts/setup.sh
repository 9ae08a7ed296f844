#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing Millrace needs on Debian 12, Debian 13 and their derivatives.
#
#   scripts/setup.sh [SET]     install what is missing of a set; says and does nothing when all is there
#     demo                     what ./demo.sh needs: a compiler, Vulkan, the driver lavapipe
#     tool                     the layer, the C library and the tool
#     tests                    everything; the default
#   --check                    only say what is missing (exit status 1 if anything is)
#   --yes                      do not ask
#
# On a terminal it asks before it adds an apt source or upgrades the C library. Elsewhere it goes on.
#
# Debian 12 is older than the Vulkan headers we need. There, those packages come from the next release, through a source
# that is derived from the machine's own apt configuration and pinned below everything else, so that nothing but these
# packages and what they depend on is taken from it.
set -euo pipefail

# "package", or "package minimum-version" with the oldest version that is known to work. Each set has those before it.
readonly DEMO_PACKAGES=(
  "g++" "cmake" "ninja-build" "libstb-dev"
  "libvulkan-dev 1.4.309"
  "libvulkan-memory-allocator-dev 3.1"
  "vulkan-utility-libraries-dev 1.4.309"
  "spirv-headers 1.6.1+1.4.309"
  "spirv-tools 2025.1~"
  "glslang-tools 15.1"
  "mesa-vulkan-drivers 24.3"
)
readonly TOOL_PACKAGES=(
  "pkg-config" "libcli11-dev" "nlohmann-json3-dev" "libgraphviz-dev" "zlib1g-dev" "llvm-22-dev"
  "node-d3-scale" "node-d3-axis" "node-d3-zoom" "node-d3-shape" "node-dagre-layout"
  "glslang-dev 15.1"
  "libzstd-dev 1.5.5"
)
readonly TEST_PACKAGES=(
  "libgtest-dev" "libgmock-dev" "dpkg-dev" "python3" "python3-jsonschema" "python3-yaml" "man-db" "zsh" "fish" "chromium" "chromium-driver"
  "mesa-drm-shim 25.0"
  "vulkan-validationlayers 1.4.309"
  "vulkan-tools 1.4.304"
)
packages=()  # of the chosen set

readonly MARK="# Written by Millrace's scripts/setup.sh; delete it together with"
readonly CURRENT=bookworm NEXT=trixie  # the release whose packages are too old, and where they come from instead
readonly SOURCE_NAME=/etc/apt/sources.list.d/millrace-next
readonly PIN_FILE=/etc/apt/preferences.d/millrace-next

say() { echo "setup: $*"; }

# Prints the packages that are absent or too old, one per line.
missing_packages() {
  local package minimum version state
  local -A installed=()
  while read -r package state version; do
    [[ $state == ii* ]] && installed[$package]=$version
  done < <(dpkg-query -W -f='${Package} ${db:Status-Abbrev} ${Version}\n' "${packages[@]%% *}" 2>/dev/null || true)
  # pkgconf has provided the pkg-config command since Debian 12.
  [[ -x /usr/bin/pkg-config ]] && installed[pkg-config]=any
  while read -r package minimum; do
    if [[ -z ${installed[$package]:-} ]] || is_older "${installed[$package]}" "$minimum"; then
      echo "$package"
    fi
  done < <(printf '%s\n' "${packages[@]}")
}

# Without a minimum nothing is too old.
is_older() { [[ -n $2 ]] && dpkg --compare-versions "$1" lt "$2"; }

# Which of the given packages the machine's release offers in too old a version. What it does not offer at all is among
# them if a version is asked for.
too_old_here() {
  local package minimum candidate
  while read -r package minimum; do
    [[ -n $minimum && " $* " == *" $package "* ]] || continue
    candidate=$(LC_ALL=C apt-cache policy "$package" | awk '$1 == "Candidate:" { print $2 }')
    if [[ -z $candidate || $candidate == "(none)" ]] || is_older "$candidate" "$minimum"; then
      echo "$package"
    fi
  done < <(printf '%s\n' "${packages[@]}")
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

apt_get() { as_root apt-get -q -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold "$@"; }

# Where apt read the main Debian archive of a release from: "file:entry". The entry is a line number in a .list file and a
# paragraph number in a .sources file.
archive_entry() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(CODENAME)|$(COMPONENT)|$(SOURCESENTRY)' 'Created-By: Packages' |
    awk -F'|' -v codename="$1" '$1 == "Debian" && $2 == "Debian" && $3 == codename && $4 == "main" { print $5; exit }'
}

# Prints the given entry with its suites and components replaced; everything else, keys included, stays as it is.
derive_entry() {
  local file=$1 number=$2 suite=$3
  case $file in
    *.list)
      sed -nE "${number}s/^[[:space:]]*(deb([[:space:]]+\[[^]]*\])?[[:space:]]+[^[:space:]]+)[[:space:]].*/\1 $suite main/p" \
        "$file"
      ;;
    *.sources)
      # Comments are no part of a paragraph; a continuation line (an embedded key) belongs to the field above it.
      sed '/^#/d' "$file" | awk -v number="$number" -v suite="$suite" '
        /^[[:space:]]*$/ { open = 0; next }
        !open { open = 1; ++paragraph }
        paragraph != number { next }
        /^[^[:space:]]/ { field = tolower($1) }
        field == "types:" || field == "suites:" || field == "components:" { next }
        { print }
        END { print "Types: deb\nSuites: " suite "\nComponents: main" }'
      ;;
  esac
}

# Makes the packages of a release available without letting apt prefer them.
add_release() {
  local next=$1 current=$2 entry file text suffix
  [[ -z $(archive_entry "$next") ]] || return 0
  entry=$(archive_entry "$current")
  if [[ -z $entry ]]; then
    say "apt knows no entry for the main archive of Debian $current from which one for $next could be derived"
    return 1
  fi
  file=${entry%:*}
  suffix=${file##*.}
  text=$(derive_entry "$file" "${entry##*:}" "$next")
  if [[ -z $text ]]; then
    say "cannot read the entry of Debian $current in $file"
    return 1
  fi
  say "adding Debian $next, as in $file: $SOURCE_NAME.$suffix, $PIN_FILE"
  printf '%s %s\n%s\n' "$MARK" "$PIN_FILE" "$text" | as_root tee "$SOURCE_NAME.$suffix" >/dev/null
  printf '%s %s\nPackage: *\nPin: release n=%s\nPin-Priority: 100\n' "$MARK" "$SOURCE_NAME.$suffix" "$next" |
    as_root tee "$PIN_FILE" >/dev/null
  apt_get update -qq
}

# Whether installing the given packages of the machine's own release upgrades the C library.
upgrades_c_library() {
  [[ $# -gt 0 ]] && LC_ALL=C apt-get -s install --no-install-recommends "$@" 2>/dev/null | grep -q '^Inst libc6 \['
}

# Says what installing changes, and asks where that is more than new packages. Returns 1 for no.
agree() {
  local asks=0 answer
  say "this installs ${current_release[*]} ${next_release[*]} and what they depend on"
  if upgrades_c_library "${current_release[@]}"; then
    say "it upgrades the C library, libc6"
    asks=1
  fi
  if [[ ${#next_release[@]} -gt 0 ]]; then
    say "from Debian $NEXT come ${next_release[*]}; they need its C library: libc6 and the packages tied to it are upgraded"
    if [[ -z $(archive_entry "$NEXT") ]]; then
      say "it adds an apt source for Debian $NEXT, with a priority that nothing else is upgraded from:" \
        "$SOURCE_NAME.*, $PIN_FILE"
    fi
    asks=1
  fi
  [[ $asks == 1 && $yes == 0 && -t 0 ]] || return 0
  read -r -p "setup: go on? [y/N] " answer || true
  [[ $answer == [yY]* ]]
}

# Sorts the missing packages by the release that they come from.
plan() {
  local old package
  old=$(too_old_here "$@")
  for package in "$@"; do
    if [[ " ${old//$'\n'/ } " == *" $package "* ]]; then
      next_release+=("$package")
    else
      current_release+=("$package")
    fi
  done
  if [[ ${#next_release[@]} -gt 0 && -z $(archive_entry "$CURRENT") ]]; then
    say "this release is too old: it lacks ${next_release[*]} in the versions that scripts/setup.sh lists"
    return 1
  fi
}

install_packages() {
  if [[ ${#current_release[@]} -gt 0 ]]; then
    apt_get install -y --no-install-recommends "${current_release[@]}"
  fi
  if [[ ${#next_release[@]} -gt 0 ]]; then
    add_release "$NEXT" "$CURRENT"
    apt_get install -y --no-install-recommends -t "$NEXT" "${next_release[@]}"
  fi
}

usage() {
  say "usage: scripts/setup.sh [--check] [--yes] [demo|tool|tests]" >&2
  exit 2
}

main() {
  local set=tests check=0 yes=0 missing current_release=() next_release=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      --check) check=1 ;;
      --yes) yes=1 ;;
      demo | tool | tests) set=$1 ;;
      *) usage ;;
    esac
    shift
  done
  packages=("${DEMO_PACKAGES[@]}")
  [[ $set == demo ]] || packages+=("${TOOL_PACKAGES[@]}")
  [[ $set != tests ]] || packages+=("${TEST_PACKAGES[@]}")

  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "not a Debian system; please install the equivalents of: ${packages[*]}"
    return 0
  fi
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $check == 1 ]]; then
    say "missing or too old: ${missing[*]}"
    return 1
  fi
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    say "missing or too old: ${missing[*]}"
    say "please run scripts/setup.sh as root (or install sudo)"
    return 1
  fi

  say "missing or too old: ${missing[*]}"
  say "reading the lists of packages"
  apt_get update -qq
  plan "${missing[@]}" || return 1
  if ! agree; then
    say "nothing was installed; ${BASH_SOURCE[0]##*/} --yes does not ask"
    return 1
  fi
  install_packages

  mapfile -t missing < <(missing_packages)
  if [[ ${#missing[@]} -gt 0 ]]; then
    say "still missing or too old: ${missing[*]}"
    return 1
  fi
}

main "$@"
