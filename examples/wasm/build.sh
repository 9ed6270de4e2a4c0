#!/bin/sh
# Builds a module: sh build.sh method.c writes method.wasm. Debian: apt-get install clang lld
set -e
for source; do
    clang --target=wasm32 -O2 -ffreestanding -nostdlib -Wall \
        -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=8192 -o "${source%.c}.wasm" "$source"
done
