#!/usr/bin/env bash
# Tests the notebooks in a real browser: `tools/test_lab.sh PYTHON`. If there is none and apt-get cannot install one, it
# reports that nothing was tested, with the reason, and exits with status 0.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

has_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

# Like the plugins' libraries, Chromium is never installed without root rights or in a conda environment.
install() {
    mkdir -p build/stamps build/lab
    local get=(flock build/stamps/apt.lock apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20)
    echo "Installing chromium with apt-get"
    {
        DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y --no-install-recommends chromium \
            || { "${get[@]}" update && DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y --no-install-recommends chromium; }
    } >build/lab/apt.log 2>&1 </dev/null
}

if ! has_browser && [ "${APT:-}" != 0 ] && [ "$(id -u)" = 0 ] && [ -z "${CONDA_PREFIX:-}" ] && command -v apt-get >/dev/null; then
    install || reason=", and apt-get could not install Chromium (build/lab/apt.log)"
fi
if ! has_browser; then
    echo "skipped: the notebooks were not opened, because there is no Chromium or Chrome${reason:-}; install chromium"
    exit 0
fi
exec "$1" -m pytest -m lab tests/browser
