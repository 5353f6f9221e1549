#!/bin/sh
# Runs one stage of the build and prints when it starts and how long it took: `tools/stage.sh NAME COMMAND`. A stage of
# less than two seconds prints nothing of its own.
name=$1
began=$(date +%s)
# A sleep that outlives its shell must not keep a pipe of the output open.
(sleep 2 >/dev/null 2>&1 && echo "build: $name started" && while sleep 60 >/dev/null 2>&1; do
    echo "build: $name, $(($(date +%s) - began)) s so far"
done) &
clock=$!
sh -c "$2"
status=$?
kill "$clock" 2>/dev/null
wait "$clock" 2>/dev/null
seconds=$(($(date +%s) - began))
if [ "$status" -ne 0 ]; then
    echo "build: $name failed after $seconds s" >&2
elif [ "$seconds" -ge 2 ]; then
    echo "build: $name done in $seconds s"
fi
exit "$status"
