#!/usr/bin/env python3
"""Functions that overflow, keep hidden state, run programs, or let the host, the clock or the locale into the output."""
import re
import source

BANNED = {
    "strcpy": "has no bound",
    "strcat": "has no bound",
    "stpcpy": "has no bound",
    "strncpy": "may leave a string without an end",
    "strncat": "takes a bound that nobody gets right",
    "sprintf": "has no bound",
    "vsprintf": "has no bound",
    "gets": "has no bound",
    "scanf": "says nothing of overflow",
    "sscanf": "says nothing of overflow",
    "fscanf": "says nothing of overflow",
    "atoi": "takes anything for a number",
    "atol": "takes anything for a number",
    "atoll": "takes anything for a number",
    "atof": "takes anything for a number, and obeys the locale",
    "strtok": "keeps state between calls",
    "asctime": "returns a static buffer",
    "ctime": "returns a static buffer",
    "gmtime": "returns a static buffer",
    "localtime": "returns a static buffer, and reads the host's time zone",
    "time": "reads the clock",
    "clock_gettime": "reads the clock",
    "gettimeofday": "reads the clock",
    "rand": "is neither seeded nor reproducible",
    "srand": "is neither seeded nor reproducible",
    "random": "is neither seeded nor reproducible",
    "setlocale": "changes what every thread reads and writes",
    "strcoll": "obeys the locale",
    "tolower": "obeys the locale: grammar/ascii.h",
    "toupper": "obeys the locale: grammar/ascii.h",
    "isalpha": "obeys the locale: grammar/ascii.h",
    "isalnum": "obeys the locale: grammar/ascii.h",
    "isdigit": "obeys the locale: grammar/ascii.h",
    "isspace": "obeys the locale: grammar/ascii.h",
    "strcasecmp": "obeys the locale",
    "alloca": "takes the stack by the input's size",
    "setjmp": "leaves without cleaning up",
    "longjmp": "leaves without cleaning up",
    "system": "runs a program",
    "popen": "runs a program",
    "execv": "runs a program",
    "execvp": "runs a program",
    "fork": "makes a process",
    "tmpnam": "races for the name",
    "mktemp": "races for the name",
    "socket": "opens a socket",
    "connect": "opens a socket",
    "getaddrinfo": "asks the network",
    "gethostname": "asks the host",
    "inet_pton": "is not the grammar of the contract: grammar/address.h",
    "inet_ntop": "is not the grammar of the contract: grammar/address.h",
}

# Tests may use what is clear and safe there; what makes them differ from run to run they may not.
IN_TESTS = ("gets", "strtok", "time", "gettimeofday", "rand", "srand", "random", "setlocale", "tmpnam", "mktemp",
            "connect", "getaddrinfo", "gethostname", "alloca")

# What one file is there for.
PLACES = {"clock_gettime": "online/clock.c"}

# Not after a dot or an arrow, which name a member.
CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")


def faults_of(path, text):
    code = source.bare(text)
    faults = []
    for match in CALL.finditer(code):
        name = match.group(1)
        if (path.startswith("tests/") and name not in IN_TESTS) or PLACES.get(name) == path:
            continue
        line = code.count("\n", 0, match.start()) + 1
        faults.append(f"{path}:{line}: {name} {BANNED[name]}")
    return faults


def main():
    paths = source.files(*source.FOLDERS, "tests")
    faults = [fault for path in paths for fault in faults_of(path, source.read(path))]
    source.finish(faults, len(paths), "files")


if __name__ == "__main__":
    main()
