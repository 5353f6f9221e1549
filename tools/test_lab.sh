#!/usr/bin/env bash
# Tests the notebooks in a real browser: `tools/test_lab.sh PYTHON`. If there is none and apt-get cannot install one, it
# reports that nothing was tested, with the reason, and exits with status 0.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

has_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

if ! has_browser; then
    tools/debian.sh build/lab/apt.log chromium \
        || reason=", and apt-get could not install Chromium (build/lab/apt.log)"
fi
if ! has_browser; then
    echo "skipped: the notebooks were not opened, because there is no Chromium or Chrome${reason:-}; install chromium"
    exit 0
fi
exec "$1" -m pytest -m lab tests/browser
