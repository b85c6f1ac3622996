#!/usr/bin/env python3
"""SARIF reports are valid by @microsoft/sarif-multitool: check.py [--selftest] [REPORT...]

Without REPORT: every golden/*/*.sarif, which golden tests hold to be what the program prints. Errors and warnings fail,
also of the rules that GitHub's code scanning adds, but for those listed here with their reason. --selftest shows that a
broken report is found. Exit status 77, for ctest: the validator is not installed (npm ci --prefix tests/sarif).
"""
import glob
import json
import os
import re
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGE = os.path.join(HERE, "node_modules", "@microsoft", f"sarif-multitool-{sys.platform}")
SKIPPED = 77

ACCEPTED = {
    "SARIF2005": "informationUri: the project has no page of its own",
}
LINE = re.compile(r"^(?P<place>.*?): (?P<level>error|warning) (?P<rule>[A-Z]+[0-9]+): (?P<text>.*)$", re.MULTILINE)


def validator():
    program = os.path.join(PACKAGE, "Sarif.Multitool")
    if not os.path.exists(program):
        print("skipped: the validator is not installed: npm ci --prefix tests/sarif")
        sys.exit(SKIPPED)
    os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
    return program


def faults_of(paths):
    # Without globalization it needs no ICU library.
    environment = dict(os.environ, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1")
    done = subprocess.run([validator(), "validate", "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", *paths],
                          capture_output=True, text=True, env=environment, timeout=240)
    output = done.stdout + done.stderr
    faults = [match.group() for match in LINE.finditer(output) if match.group("rule") not in ACCEPTED]
    if f"{len(paths)} files scanned" not in output:
        faults.append(f"not every report was looked at\n{output}")
    if done.returncode != 0 and not faults:
        faults.append(f"the validator ended with {done.returncode}\n{output}")
    return faults


def selftest():
    """A report whose results name a rule that is not there, and one with a region that begins in line 0, are refused."""
    reports = sorted(glob.glob(os.path.join(ROOT, "golden/*/*.sarif")))
    with open(reports[0], encoding="utf-8") as file:
        text = file.read()
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, pattern, replacement in (("rule", r'"ruleIndex": \d+', '"ruleIndex": 99'),
                                           ("line", r'"startLine": \d+', '"startLine": 0')):
            broken = re.sub(pattern, replacement, text)
            json.loads(broken)
            path = os.path.join(folder, f"{name}.sarif")
            with open(path, "w", encoding="utf-8") as file:
                file.write(broken)
            if broken == text or not faults_of([path]):
                missed.append(f"a report with a wrong {name} passes")
    return missed


def main():
    arguments = sys.argv[1:]
    if arguments == ["--selftest"]:
        faults = selftest()
        count = 1
    else:
        paths = arguments or sorted(glob.glob(os.path.join(ROOT, "golden/*/*.sarif")))
        faults, count = faults_of(paths) if paths else [], len(paths)
    print("\n".join(faults))
    print(f"{count} reports, {len(faults)} faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
