#!/usr/bin/env python3
"""No library holds data that can change, neither of a file nor of a function: mutable_data.py LIBRARY..."""
import re
import subprocess
import sys
import source

# One line of objdump -t: address, seven flags, section, size, name.
SYMBOL = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\t([0-9a-f]+) +(?:\.hidden )?(\S+)$")

# Constant tables that hold addresses are written once, by the loader, and protected after that.
WRITABLE = re.compile(r"^(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)")


def faults_of(library, symbols):
    faults = []
    member = library
    for line in symbols.splitlines():
        if line.endswith("file format elf64-x86-64") or ":     file format " in line:
            member = line.split(":")[0]
            continue
        match = SYMBOL.match(line)
        if not match:
            continue
        flags, section, size, name = match.groups()
        # Sections have symbols too, without a size of their own.
        if "d" not in flags and WRITABLE.match(section) and int(size, 16) > 0:
            faults.append(f"{member}: {name} is data that can change ({section}, {int(size, 16)} bytes)")
    return faults


def main():
    faults = []
    for library in sys.argv[1:]:
        done = subprocess.run(["objdump", "-t", library], capture_output=True, text=True, check=True)
        if not SYMBOL.search(done.stdout.split("\n\n")[-1]) and not any(map(SYMBOL.match, done.stdout.splitlines())):
            faults.append(f"{library}: no symbol could be read")
        faults += faults_of(library, done.stdout)
    source.finish(faults, len(sys.argv) - 1, "libraries")


if __name__ == "__main__":
    main()
