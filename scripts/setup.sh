#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing Millrace needs on Debian 12, Debian 13 and their derivatives.
#
#   scripts/setup.sh           install what is missing; says and does nothing when all is there
#   scripts/setup.sh --check   only say what is missing (exit status 1 if anything is)
#
# Debian 12 is older than the Vulkan headers we need. There, those packages come from the next release, through a source
# that is derived from the machine's own apt configuration and pinned below everything else, so that nothing but these
# packages and what they depend on is taken from it.
set -euo pipefail

# From the machine's own release.
readonly BASE_PACKAGES=(g++ cmake ninja-build pkg-config libgtest-dev libgmock-dev libcli11-dev libstb-dev
                        nlohmann-json3-dev libgraphviz-dev zlib1g-dev llvm-22-dev
                        node-d3-scale node-d3-axis node-d3-zoom node-d3-shape node-dagre-layout
                        python3 python3-jsonschema man-db zsh fish chromium chromium-driver)  # for tests

# "package minimum-version": the oldest versions that are known to work.
readonly VULKAN_PACKAGES=(
  "libvulkan-dev 1.4.309"
  "libvulkan-memory-allocator-dev 3.1"
  "vulkan-utility-libraries-dev 1.4.309"
  "vulkan-validationlayers 1.4.309"
  "vulkan-tools 1.4.304"
  "spirv-headers 1.6.1+1.4.309"
  "spirv-tools 2025.1~"
  "glslang-tools 15.1"
  "glslang-dev 15.1"
  "mesa-vulkan-drivers 24.3"
  "libzstd-dev 1.5.5"
)

readonly MARK="# Written by Millrace's scripts/setup.sh; delete it together with"
readonly SOURCE_NAME=/etc/apt/sources.list.d/millrace-next
readonly PIN_FILE=/etc/apt/preferences.d/millrace-next

say() { echo "setup: $*"; }

# Prints the packages that are absent or too old, one per line.
missing_packages() {
  local package minimum
  local -A installed=()
  while read -r package state version; do
    [[ $state == ii* ]] && installed[$package]=$version
  done < <(dpkg-query -W -f='${Package} ${db:Status-Abbrev} ${Version}\n' \
             "${BASE_PACKAGES[@]}" "${VULKAN_PACKAGES[@]%% *}" 2>/dev/null || true)
  # pkgconf has provided the pkg-config command since Debian 12.
  [[ -x /usr/bin/pkg-config ]] && installed[pkg-config]=any
  for package in "${BASE_PACKAGES[@]}"; do
    [[ -n ${installed[$package]:-} ]] || echo "$package"
  done
  while read -r package minimum; do
    if [[ -z ${installed[$package]:-} ]] || dpkg --compare-versions "${installed[$package]}" lt "$minimum"; then
      echo "$package"
    fi
  done < <(printf '%s\n' "${VULKAN_PACKAGES[@]}")
}

# Which of the given packages the machine's release offers in too old a version, or not at all.
too_old_here() {
  local package minimum candidate
  while read -r package minimum; do
    [[ " $* " == *" $package "* ]] || continue
    candidate=$(LC_ALL=C apt-cache policy "$package" | awk '$1 == "Candidate:" { print $2 }')
    if [[ -z $candidate || $candidate == "(none)" ]] || dpkg --compare-versions "$candidate" lt "$minimum"; then
      echo "$package"
    fi
  done < <(printf '%s\n' "${VULKAN_PACKAGES[@]}")
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
  say "adding Debian $next, as in $file, with a priority that nothing else is upgraded from: $SOURCE_NAME.$suffix, $PIN_FILE"
  printf '%s %s\n%s\n' "$MARK" "$PIN_FILE" "$text" | as_root tee "$SOURCE_NAME.$suffix" >/dev/null
  printf '%s %s\nPackage: *\nPin: release n=%s\nPin-Priority: 100\n' "$MARK" "$SOURCE_NAME.$suffix" "$next" |
    as_root tee "$PIN_FILE" >/dev/null
  apt_get update -qq
}

main() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "not a Debian system; please install the equivalents of: ${BASE_PACKAGES[*]} ${VULKAN_PACKAGES[*]}"
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ ${1:-} == --check ]]; then
    say "missing or too old: ${missing[*]}"
    return 1
  fi
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    say "missing or too old: ${missing[*]}"
    say "please run scripts/setup.sh as root (or install sudo)"
    return 1
  fi

  say "installing ${missing[*]}"
  apt_get update -qq
  local old current_release=() next_release=() package
  old=$(too_old_here "${missing[@]}")
  for package in "${missing[@]}"; do
    if [[ " ${old//$'\n'/ } " == *" $package "* ]]; then
      next_release+=("$package")
    else
      current_release+=("$package")
    fi
  done
  if [[ ${#current_release[@]} -gt 0 ]]; then
    apt_get install -y --no-install-recommends "${current_release[@]}"
  fi
  if [[ ${#next_release[@]} -gt 0 ]]; then
    if [[ -z $(archive_entry bookworm) ]]; then
      say "this release is too old: it lacks ${next_release[*]} in the versions that scripts/setup.sh lists"
      return 1
    fi
    add_release trixie bookworm
    say "installing from Debian trixie: ${next_release[*]}"
    say "these packages need a newer C library: libc6 and the packages tied to it are upgraded to trixie with them"
    apt_get install -y --no-install-recommends -t trixie "${next_release[@]}"
  fi

  mapfile -t missing < <(missing_packages)
  if [[ ${#missing[@]} -gt 0 ]]; then
    say "still missing or too old: ${missing[*]}"
    return 1
  fi
}

main "$@"
