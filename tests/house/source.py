"""What the house tests share: the source files, and C text without comments and strings."""
import os
import re
import sys

# The order of dependencies: a folder includes those before it; the last is a program of its own (include_order.py).
FOLDERS = ("base", "grammar", "document", "ir", "kube", "compiler", "analyzer", "report", "cli", "online")


def files(*folders, ending=(".c", ".h")):
    """The paths of the sources under these folders, in byte order."""
    found = []
    for folder in folders:
        for parent, _, names in os.walk(folder):
            found += [os.path.join(parent, name) for name in names if name.endswith(ending)]
    return sorted(found)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def bare(text):
    """C text with comments and the insides of strings blanked; lines stay where they are."""

    def blank(match):
        token = match.group()
        if token[0] in "\"'":
            return token[0] * 2
        return " " + "\n" * token.count("\n")

    return TOKEN.sub(blank, text)


def finish(faults, checked, what):
    """Prints the faults and ends the program. A test that looked at nothing has failed too."""
    for fault in faults:
        print(fault)
    print(f"{checked} {what} looked at, {len(faults)} faults")
    sys.exit(1 if faults or not checked else 0)
