#!/usr/bin/env python3
"""What the `console` blocks of a document show is what happens: examples.py EGRESSC DOCUMENT...

A line `$ COMMAND` is run in the source folder by a shell that finds `egressc` as the built one; the lines up to the
next command are what it prints, on both channels. `$?` is the exit status of the command before.
"""
import difflib
import os
import subprocess
import sys
import source


def examples_of(text):
    """(line, command, expected output) of each example."""
    examples = []
    inside = continued = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
            continued = False
        elif inside and line.startswith("$ "):
            examples.append((number, line[2:], ""))
            continued = line.endswith("\\")
        elif inside and examples:
            first, command, expected = examples[-1]
            if continued:
                examples[-1] = (first, command + "\n" + line, expected)
                continued = line.endswith("\\")
            else:
                examples[-1] = (first, command, expected + line + "\n")
    return examples


def main():
    program, paths = os.path.abspath(sys.argv[1]), sys.argv[2:]
    environment = dict(os.environ, PATH=os.path.dirname(program) + os.pathsep + os.environ["PATH"], LC_ALL="C")
    faults, count, status = [], 0, 0
    for path in paths:
        for line, command, expected in examples_of(source.read(path)):
            done = subprocess.run(["sh", "-c", f"(exit {status})\n{command}"], env=environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            status, count = done.returncode, count + 1
            if done.stdout != expected:
                diff = difflib.unified_diff(expected.splitlines(True), done.stdout.splitlines(True), path, "what happens")
                faults.append(f"{path}:{line}: $ {command}\n{''.join(diff)}")
    source.finish(faults, count, "examples")


if __name__ == "__main__":
    main()
