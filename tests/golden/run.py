#!/usr/bin/env python3
"""Golden tests: runs the program on the fixtures and compares every byte that it prints.

    run.py --bin EGRESSC [--only PATTERN] [--write]

`cases` beside this file holds one case a line: NAME STATUS ARGUMENTS. The program runs in the source folder; what it
prints on standard output is golden/NAME, and on standard error golden/NAME.err (no file: nothing is printed). A
difference is shown as a unified diff, and what came is left beside the golden as NAME.got or NAME.err.got.

--write makes the goldens what the program prints now: read that diff like code. The exit status of a case is part of
the table, and is never rewritten. `< FILE` at the end of the arguments is standard input.
"""
import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GOLDEN = os.path.join(ROOT, "golden")


class Case:
    def __init__(self, name, status, arguments):
        self.name, self.status = name, int(status)
        self.arguments = shlex.split(arguments)
        self.input = None
        if "<" in self.arguments:
            at = self.arguments.index("<")
            self.input = self.arguments[at + 1]
            del self.arguments[at:]

    def run(self, program):
        """Standard output, standard error and exit status. Host, locale and time zone are to change nothing."""
        with open(os.path.join(ROOT, self.input) if self.input else os.devnull, "rb") as stream:
            done = subprocess.run(
                [program, *self.arguments], cwd=ROOT, stdin=stream, capture_output=True, timeout=60,
                env=dict(os.environ, LC_ALL="C.UTF-8", TZ="Asia/Kolkata", COLUMNS="40"))
        return done.stdout, done.stderr, done.returncode


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            try:
                cases.append(Case(*line.split(None, 2)))
            except (TypeError, ValueError) as problem:
                sys.exit(f"{path}:{number}: not NAME STATUS ARGUMENTS: {problem}")
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"{path}: two cases are called {name}")
    return cases


def golden_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def put(path, content):
    """Writes a file, or removes it where there is nothing to write."""
    if content:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    elif os.path.exists(path):
        os.remove(path)


def lines_of(content):
    return content.decode("utf-8", "backslashreplace").splitlines(True)


def compare(name, got, write):
    """The fault of one channel, or None."""
    path = os.path.join(GOLDEN, name)
    wanted = golden_of(path)
    if write:
        put(path, got)
        put(path + ".got", b"")
        return None
    put(path + ".got", got if got != wanted else b"")
    if got == wanted:
        return None
    if not got:
        return f"golden/{name}: nothing was printed"
    diff = difflib.unified_diff(lines_of(wanted), lines_of(got), f"golden/{name}", f"golden/{name}.got")
    return "".join(line if line.endswith("\n") else line + "\n\\ no end of line\n" for line in diff)


def judge(case, program, write):
    out, err, status = case.run(program)
    faults = [fault for fault in (compare(case.name, out, write), compare(case.name + ".err", err, write)) if fault]
    if status != case.status:
        faults.append(f"exit status {status}; the table says {case.status}")
    return faults


def unclaimed(cases):
    """Goldens that belong to no case, in the folders of the table. Other tests have other folders."""
    claimed = {case.name for case in cases} | {case.name + ".err" for case in cases}
    found = []
    for group in {case.name.split("/")[0] for case in cases}:
        for parent, _, names in os.walk(os.path.join(GOLDEN, group)):
            paths = [os.path.relpath(os.path.join(parent, name), GOLDEN) for name in names]
            found += [path for path in paths if path not in claimed and not path.endswith(".got")]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="*", help="names of cases, as a pattern")
    parser.add_argument("--write", action="store_true", help="rewrite the goldens")
    options = parser.parse_args()
    program = os.path.abspath(options.bin)
    every = read_cases(os.path.join(HERE, "cases"))
    cases = [case for case in every if fnmatch.fnmatch(case.name, options.only)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, faults in zip(cases, pool.map(lambda case: judge(case, program, options.write), cases)):
            failed += bool(faults)
            if faults:
                print(f"FAILED {case.name}: egressc {shlex.join(case.arguments)}")
                print("\n".join(faults))
    lost = unclaimed(every)
    for path in lost:
        print(f"golden/{path}: no case of this name")
    print(f"{len(cases) - failed} passed, {failed + len(lost)} failed")
    return 1 if failed or lost or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
