#!/bin/sh
# Builds a module: sh build.sh method.c method.wasm [more arguments of clang]
# Debian: apt-get install clang lld
set -e
source=$1 module=$2
shift 2
exec clang --target=wasm32 -O2 -ffreestanding -nostdlib -Wall \
    -Wl,--no-entry -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=8192 "$@" -o "$module" "$source"
