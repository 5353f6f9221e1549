#!/usr/bin/env bash
# Installs the Debian packages of commands that only tests need: `tools/debian.sh LOG COMMAND...`, where each command is
# named as its package. Like the plugins' libraries, they are never installed with APT=0, without root rights or in a
# conda environment; then, and where all are present, the status is 0 and nothing happens.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
log=$1
shift
absent=()
for name in "$@"; do command -v "$name" >/dev/null || absent+=("$name"); done
[ "${#absent[@]}" -gt 0 ] && [ "${APT:-}" != 0 ] && [ -z "${CONDA_PREFIX:-}" ] && [ "$(id -u)" = 0 ] \
    && command -v apt-get >/dev/null || exit 0

mkdir -p build/stamps "${log%/*}"
get=(flock build/stamps/apt.lock apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20)
export DEBIAN_FRONTEND=noninteractive
install() { "${get[@]}" install -y --no-install-recommends "${absent[@]}"; }
echo "Installing ${absent[*]} with apt-get"
{ install || { "${get[@]}" update && install; }; } >"$log" 2>&1 </dev/null
