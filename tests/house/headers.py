#!/usr/bin/env python3
"""Each header compiles on its own, and twice in one file: headers.py COMPILER"""
import concurrent.futures
import os
import re
import subprocess
import sys
import source


def fault_of(compiler, path):
    text = source.read(path)
    # A list that is included several times on purpose, inside a file that says what to do with an entry.
    if "no guard" in text and not re.search(r"^#ifndef", text, re.MULTILINE):
        return None
    once = f'#include "{path}"\n#include "{path}"\n'
    done = subprocess.run(
        [compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-I.", "-fsyntax-only", "-xc", "-"],
        input=once, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{path}: does not compile on its own\n{done.stderr.rstrip()}"


def main():
    paths = source.files(*source.FOLDERS, ending=(".h",))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for fault in pool.map(lambda path: fault_of(sys.argv[1], path), paths) if fault]
    source.finish(faults, len(paths), "headers")


if __name__ == "__main__":
    main()
