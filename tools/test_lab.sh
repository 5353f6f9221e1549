#!/usr/bin/env bash
# Opens the notebooks in a real browser: `tools/test_lab.sh PYTHON`. Where there is none and none can be had from the
# system's packages, it says that nothing was tested, and why.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

here() { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

# As for the plugins' libraries: never where it would need a password or a conda environment should bring it.
install() {
    mkdir -p build/stamps build/lab
    local get=(flock build/stamps/apt.lock apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20)
    echo "Installing chromium with apt-get"
    {
        DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y --no-install-recommends chromium \
            || { "${get[@]}" update && DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y --no-install-recommends chromium; }
    } >build/lab/apt.log 2>&1 </dev/null
}

if ! here && [ "$(id -u)" = 0 ] && [ -z "${CONDA_PREFIX:-}" ] && command -v apt-get >/dev/null; then
    install || reason=", and apt-get did not bring one (build/lab/apt.log)"
fi
if ! here; then
    echo "skipped: the notebooks were not opened in a browser: there is no Chromium${reason:-}; install chromium"
    exit 0
fi
exec "$1" -m pytest -m lab tests/browser
