#!/usr/bin/env bash
# debian-root.sh FOLDER: a Debian 13 root in FOLDER with what the released program needs, from the mirror that this
# machine's apt uses. Does nothing where FOLDER has one. Needs root and Debian's package debootstrap.
set -euo pipefail

suite=trixie
folder=${1:?usage: debian-root.sh FOLDER}
[ -e "$folder/.complete" ] && exit 0
command -v debootstrap >/dev/null || {
  echo "error: debootstrap is not installed (Debian: apt-get install debootstrap)" >&2
  exit 1
}
# The repository of Debian's main archive; without one, debootstrap takes its default.
mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
  awk '$1 == "Debian" { print $2; exit }' || true)
rm -rf --one-file-system "$folder"
mkdir -p "$folder"
debootstrap --variant=minbase --include=ca-certificates,libstdc++6 "$suite" "$folder" ${mirror:+"$mirror"}
touch "$folder/.complete"
