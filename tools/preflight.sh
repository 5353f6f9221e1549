#!/bin/sh
# Prints the Python to use, or one line for each missing requirement of the build and exits with status 1.
# usage: tools/preflight.sh [PYTHON]    PYTHON: the interpreter of an existing environment
set -u
missing=0

need() {
    echo "aeadlab needs $1" >&2
    missing=1
}

# at_least MAJOR.MINOR WANTED_MAJOR WANTED_MINOR
at_least() {
    case $1 in *[!0-9.]* | '' | .* | *.) return 1 ;; esac
    [ "${1%%.*}" -gt "$2" ] || { [ "${1%%.*}" -eq "$2" ] && [ "${1#*.}" -ge "$3" ]; }
}

find_python() {
    seen=
    for candidate in "$@"; do
        version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
        if ! at_least "$version" 3 11; then
            seen="$seen; found $candidate, version $version"
        # Debian packages venv separately; without it a new environment has no pip.
        elif [ -z "$environment" ] && ! "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
            seen="$seen; found $candidate, which lacks venv: install python$version-venv"
        else
            command -v "$candidate"
            return
        fi
    done
    need "Python 3.11 or newer${seen:-; found none: install python3 and python3-venv}"
}

rust() {
    output=$("$1" --version 2>/dev/null) || { need "$1 1.89 or newer; found no $1 that runs: install Rust with rustup"; return; }
    version=$(echo "$output" | sed -E 's/^[a-z]+ ([0-9]+\.[0-9]+).*/\1/')
    at_least "$version" 1 89 || need "$1 1.89 or newer; found $version: run rustup update stable"
}

# compiler COMMAND LANGUAGE HEADER NAME
compiler() {
    if ! command -v "${1%% *}" >/dev/null 2>&1; then
        need "$4; found no $1: install gcc and g++, or clang"
    # Unquoted, because CC and CXX may carry flags.
    elif ! echo "#include <$3>" | $1 -x "$2" -fsyntax-only - 2>/dev/null; then
        need "$4 that works; $1 cannot compile #include <$3>: install the headers of its standard library"
    fi
}

environment=$*
[ $# -gt 0 ] || set -- python3.14 python3.13 python3.12 python3.11 python3
python=$(find_python "$@")
[ -n "$python" ] || missing=1
rust rustc
rust cargo
compiler "${CC:-cc}" c stdlib.h "a C compiler"
compiler "${CXX:-c++}" c++ vector "a C++ compiler"
command -v make >/dev/null 2>&1 || need "make; found none: install make"
# Slim systems have a perl without the modules that OpenSSL's Configure loads.
if ! command -v perl >/dev/null 2>&1; then
    need "perl; found none: install perl"
elif ! perl -MFindBin -MIPC::Cmd -MFile::Compare -MTime::Piece -e 1 2>/dev/null; then
    need "perl with FindBin, IPC::Cmd, File::Compare and Time::Piece; found perl without some of them: install perl, not only perl-base"
fi
[ "$missing" -eq 0 ] && echo "$python"
exit "$missing"
