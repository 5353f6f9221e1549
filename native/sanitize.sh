#!/usr/bin/env bash
# Runs Miri, the sanitizers and valgrind on the engine's unsafe code, with test doubles instead of C libraries.
# native/SAFETY.md lists what each tool detects. All tools run even if one fails, and a missing tool is a failure.
# `native/sanitize.sh miri-own asan` runs only the named tools.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

export CARGO_TARGET_DIR=$PWD/build/sanitize/target
# The settings in .cargo enable all instructions of this CPU, some of which Miri does not support.
export RUSTFLAGS=
target=$(rustc -vV | sed -n 's/^host: //p')
nightly=${NIGHTLY:-nightly}
parsplit=(--manifest-path native/Cargo.toml --locked --package parsplit)
work=build/sanitize
mkdir -p "$work"

# The pool threads never end, which Miri reports as a leak. With two cores, two idle threads spin and three sleep.
miri="-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-num-cpus=2"

miri-own() {
    MIRIFLAGS="$miri" cargo "+$nightly" miri test "${parsplit[@]}" --test memory own
}

# crossbeam-epoch, a dependency of Rayon, satisfies Tree Borrows but not Stacked Borrows, and casts integers to
# pointers.
miri-rayon() {
    MIRIFLAGS="$miri -Zmiri-tree-borrows -Zmiri-permissive-provenance" \
        cargo "+$nightly" miri test "${parsplit[@]}" --test memory
}

# Optimized, because the tests of every bit take minutes otherwise; debug assertions stay on.
asan() {
    LSAN_OPTIONS=suppressions=$PWD/native/lsan.suppressions CARGO_PROFILE_DEV_OPT_LEVEL=2 RUSTFLAGS=-Zsanitizer=address cargo "+$nightly" test "${parsplit[@]}" --package aeadlab-chacha --target "$target" --lib --tests --no-fail-fast
}

# The standard library is instrumented too; otherwise its locks are reported as races. The two tests that are left out
# expect threads of equal speed.
tsan() {
    RUSTFLAGS=-Zsanitizer=thread cargo "+$nightly" test "${parsplit[@]}" -Zbuild-std --target "$target" --lib --tests --no-fail-fast \
        -- --skip a_trace_has_a_span_for_each_block --skip self_scheduling_balances_equally_fast_workers
}

# The C interface, called by C programs.
memcheck() {
    local leaks=(--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite) name
    cargo build --quiet --manifest-path native/Cargo.toml --locked --profile develop --package parsplit-c &&
        for name in calls messages; do
            cc -std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -Wall -Wextra -Werror -Inative/include \
                -Inative/parsplit-c/include "native/parsplit-c/tests/$name.c" \
                "$CARGO_TARGET_DIR/develop/libparsplit_c.a" -lpthread -ldl -lm -o "$work/$name" || return
        done &&
        valgrind --quiet --error-exitcode=99 "$work/calls" &&
        valgrind --quiet --error-exitcode=99 "${leaks[@]}" "$work/calls" no-fork &&
        valgrind --quiet --error-exitcode=99 "${leaks[@]}" "$work/messages"
}

# The kernels with a key and text that valgrind takes for uninitialized, and with planted leaks. The portable code is
# compiled a second time without the instructions that its crates choose at run time.
secrets() {
    local soft='--cfg aes_backend="soft" --cfg polyval_backend="soft"' flags target algorithm leak
    for flags in "" "$soft"; do
        target=$CARGO_TARGET_DIR${flags:+-soft}
        RUSTFLAGS=$flags cargo build --quiet "${parsplit[@]}" --target-dir "$target" --release --example secrets || return
        for algorithm in aes-gcm chacha20-poly1305; do
            valgrind --quiet --error-exitcode=99 "$target/release/examples/secrets" "$algorithm" |
                tee "$work/kernels" || return
            grep -q 'aesni\|avx2' "$work/kernels" || { echo "valgrind has run portable code only"; return 1; }
            for leak in branch lookup; do
                valgrind --quiet --error-exitcode=99 "$target/release/examples/secrets" "$algorithm" "$leak" 2>/dev/null
                [ "$?" = 99 ] || { echo "valgrind did not report the planted $leak"; return 1; }
            done
        done
    done
}

[ "$#" -gt 0 ] || set -- miri-own miri-rayon asan tsan memcheck secrets
failed=()
for tool in "$@"; do
    printf '\n== %s\n' "$tool"
    "$tool" || failed+=("$tool")
done
if [ "${#failed[@]}" -gt 0 ]; then
    printf '\nfailed: %s\n' "${failed[*]}" >&2
    exit 1
fi
printf '\nall passed\n'
