#!/usr/bin/env bash
# Miri, the sanitizers and valgrind over the engine's unsafe code, with test doubles instead of C libraries.
# native/SAFETY.md says what each of them sees. All run, so that one report names all that is wrong; a tool that is not
# here is a failure too. `native/sanitize.sh miri-own asan` runs only those.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

export CARGO_TARGET_DIR=$PWD/build/sanitize/target
# Cargo's own settings ask for this computer's CPU, whose instructions miri does not know.
export RUSTFLAGS=
target=$(rustc -vV | sed -n 's/^host: //p')
nightly=${NIGHTLY:-nightly}
parsplit=(--manifest-path native/Cargo.toml --locked --package parsplit)
work=build/sanitize
mkdir -p "$work"

# The threads of the pool never end, which miri takes for a leak. With two cores two threads wait awake, and three asleep.
miri="-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-num-cpus=2"

miri-own() {
    MIRIFLAGS="$miri" cargo "+$nightly" miri test "${parsplit[@]}" --test memory own
}

# crossbeam-epoch, which Rayon is made of, keeps to Tree Borrows but not to Stacked Borrows, and casts integers to
# pointers.
miri-rayon() {
    MIRIFLAGS="$miri -Zmiri-tree-borrows -Zmiri-permissive-provenance" \
        cargo "+$nightly" miri test "${parsplit[@]}" --test memory
}

asan() {
    RUSTFLAGS=-Zsanitizer=address cargo "+$nightly" test "${parsplit[@]}" --target "$target" --lib --tests
}

# The standard library is built with it too: else every lock of it looks like a race.
tsan() {
    RUSTFLAGS=-Zsanitizer=thread cargo "+$nightly" test "${parsplit[@]}" -Zbuild-std --target "$target" --lib --tests
}

# The C interface as C programs meet it.
memcheck() {
    cargo build --quiet --manifest-path native/Cargo.toml --locked --profile develop --package parsplit-c &&
        cc -std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -Wall -Wextra -Werror -Inative/include -Inative/parsplit-c/include \
            native/parsplit-c/tests/calls.c "$CARGO_TARGET_DIR/develop/libparsplit_c.a" -lpthread -ldl -lm \
            -o "$work/calls" &&
        valgrind --quiet --error-exitcode=99 "$work/calls" &&
        valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite "$work/calls" no-fork
}

[ "$#" -gt 0 ] || set -- miri-own miri-rayon asan tsan memcheck
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
