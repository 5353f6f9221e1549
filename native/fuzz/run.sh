#!/usr/bin/env bash
# Fuzzes the readers of all file formats with libFuzzer, guided by coverage: native/fuzz/run.sh SECONDS [TARGET ...]
# Each target takes this time; without names all do. Inputs with new coverage are in build/fuzz/corpus, failing ones in
# build/fuzz.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

seconds=${1:?seconds for each target}
shift
# For libFuzzer any other text is 0, which means no limit; a larger number overflows.
if ! [[ $seconds =~ ^[1-9][0-9]{0,8}$ ]]; then
    echo "native/fuzz/run.sh: SECONDS is $seconds and not a whole number from 1 to 999999999" >&2
    exit 2
fi
targets=$(basename -s .rs native/fuzz/fuzz_targets/*.rs)
for target in "$@"; do
    if ! grep -qxF -- "$target" <<<"$targets"; then
        echo "native/fuzz/run.sh: there is no target $target; there are" $targets >&2
        exit 2
    fi
done
[ "$#" -gt 0 ] || set -- $targets

tool=$PWD/build/cargo-fuzz
[ -x "$tool/bin/cargo-fuzz" ] || cargo install --quiet --locked --root "$tool" cargo-fuzz@0.13.1 || exit 1

# AddressSanitizer requires nightly; the fuzzing itself does not.
if rustup toolchain list 2>/dev/null | grep -q ^nightly; then
    toolchain=+nightly sanitizer=address
else
    toolchain=+stable sanitizer=none
    echo "native/fuzz/run.sh: there is no nightly toolchain, so that AddressSanitizer does not check the memory" >&2
fi
export PATH=$tool/bin:$PATH CARGO_TARGET_DIR=$PWD/build/fuzz/target
export LSAN_OPTIONS=suppressions=$PWD/native/lsan.suppressions
fuzz=(cargo "$toolchain" fuzz run --fuzz-dir native/fuzz --sanitizer "$sanitizer")

failed=()
for target in "$@"; do
    printf '\n== %s, %s s\n' "$target" "$seconds"
    corpus=build/fuzz/corpus/$target
    mkdir -p "$corpus"
    options=(-max_total_time="$seconds" -timeout=60 -print_final_stats=1 -artifact_prefix="$PWD/build/fuzz/$target-")
    if [ "$target" = edits ]; then
        # The edits choose seeds by number. Their inputs are short, and useful from the first one on.
        inputs=("$corpus")
        options+=(-max_len=256 -len_control=0)
    else
        inputs=("$corpus" "native/fuzz/seeds/$target")
    fi
    "${fuzz[@]}" "$target" "${inputs[@]}" -- "${options[@]}" || failed+=("$target")
done
if [ "${#failed[@]}" -gt 0 ]; then
    printf '\nfailed: %s\n' "${failed[*]}" >&2
    exit 1
fi
