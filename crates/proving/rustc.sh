#!/bin/sh
# Compiles our own crates so that libFuzzer sees which code an input reaches.
# Cargo calls this in place of the compiler, with the compiler as the first argument.
exec "$@" -Copt-level=1 -Cdebug-assertions=yes -Coverflow-checks=yes \
    -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares
