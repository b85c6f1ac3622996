#!/usr/bin/env python3
"""Functions over 100 lines and files over 550 lines fail; exceptions stand here by name, with a limit of their own."""
import re
import source

FUNCTION_LINES = 100
FILE_LINES = 550

# Name: limit. An exception that is no longer needed is a fault too.
LONG_FUNCTIONS = {}
LONG_FILES = {}

NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*\(")


def functions(text):
    """(name, first line, lines) of each function of a file that clang-format laid out.

    Its signature begins in the first column and its body ends with a brace there.
    """
    lines = source.bare(text).split("\n")
    start = None
    for number, line in enumerate(lines, 1):
        if line[:1] == "}":
            if start and line.rstrip() == "}":
                signature = " ".join(lines[start - 1 : number]).split("{")[0]
                name = NAME.search(signature)
                if name and "=" not in signature:
                    yield name.group(1), start, number - start + 1
            start = None
        elif re.match(r"[A-Za-z_]", line):
            # A declaration ends on its own line; what ends in a comma or an open parenthesis goes on.
            start = start if start and lines[number - 2].rstrip()[-1:] in (",", "(") else number
            if line.rstrip().endswith((";", "}")):
                start = None


def faults_of(path, text):
    faults = []
    count = text.count("\n")
    limit = LONG_FILES.get(path, FILE_LINES)
    if count > limit:
        faults.append(f"{path}: {count} lines; at most {limit}: it is perhaps two things")
    if path in LONG_FILES and count <= FILE_LINES:
        faults.append(f"{path}: {count} lines; take it off the list of long files")
    seen = {}
    for name, line, length in functions(text):
        seen[name] = length
        limit = LONG_FUNCTIONS.get(name, FUNCTION_LINES)
        if length > limit:
            faults.append(f"{path}:{line}: {name} has {length} lines; at most {limit}")
        if name in LONG_FUNCTIONS and length <= FUNCTION_LINES:
            faults.append(f"{path}:{line}: {name} has {length} lines; take it off the list of long functions")
    return faults


def main():
    paths = source.files(*source.FOLDERS, "tests")
    faults = []
    lengths = []
    for path in paths:
        text = source.read(path)
        faults += faults_of(path, text)
        lengths += [length for _, _, length in functions(text)]
    lengths.sort()
    if not lengths:
        faults.append("no function was found: is this test still able to read the sources?")
    else:
        print(f"{len(lengths)} functions: median {lengths[len(lengths) // 2]} lines, longest {lengths[-1]}")
    source.finish(faults, len(paths), "files")


if __name__ == "__main__":
    main()
