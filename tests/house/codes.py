#!/usr/bin/env python3
"""Table of codes, pages, help and inputs are in step: codes.py EGRESSC

Each code of base/code_list.h has a page in docs/codes/, is known to `egressc help`, and is drawn by an input: one of
fixtures/lint/expected, or of a golden test, whose report then shows it. Pages, rows and reports name no other code.
"""
import os
import re
import subprocess
import sys

import source

TABLE, PAGES, EXPECTED, GOLDEN = "base/code_list.h", "docs/codes", "fixtures/lint/expected", "golden"
ROW = re.compile(r'^CODE\(\w+,\s*"([^"]*)"', re.MULTILINE)

# How reports show a code, one expression a format.
SHOWN = {
    "text": re.compile(r"^(?:.*: )?(?:error|warning|note): .* \[([\w-]+)\]$", re.MULTILINE),
    "text of a subject": re.compile(r"^    (?:egress|ingress) refuse \[([\w-]+)\]", re.MULTILINE),
    "json": re.compile(r'^ *"(?:code|refusal)": "([\w-]+)",$', re.MULTILINE),
    "sarif": re.compile(r'^ *"ruleId": "([\w-]+)",$', re.MULTILINE),
    "junit": re.compile(r'<testcase classname="(?!egressc")([\w-]+)"'),
    "github": re.compile(r"^::(?:error|warning|notice) (?:.*,)?title=([\w-]+)::", re.MULTILINE),
    "markdown": re.compile(r"^- \*\*(?:error|warning|note)\*\* `([\w-]+)`", re.MULTILINE),
}


def shown_in(text):
    """The codes that a report shows."""
    return {code for expression in SHOWN.values() for code in expression.findall(text)}


def codes_of(paths):
    """Each code that one of these reports shows, with the first of them."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            for code in shown_in(file.read()):
                found.setdefault(code, path)
    return found


def rows_of(text):
    """The codes of fixtures/lint/expected."""
    return [line.split()[0] for line in text.splitlines() if line and not line.startswith("#")]


def faults_of(words, pages, rows, reports):
    """What is not in step: the table's words, names of pages, rows of fixtures, codes that reports show by path."""
    faults = [f"{TABLE}: {word} has no page in {PAGES}" for word in words if word not in pages]
    faults += [f"{PAGES}/{page}.md is the page of no code" for page in pages if page not in words]
    faults += [f"{EXPECTED}: {row} is no code" for row in rows if row not in words]
    faults += [f"{path}: {code} is no code" for code, path in sorted(reports.items()) if code not in words]
    faults += [f"{TABLE}: {word} is drawn by no input: it needs a row in {EXPECTED} or a golden test"
               for word in words if word not in rows and word not in reports]
    return faults


def help_faults(program, words):
    faults = []
    for word in words:
        done = subprocess.run([program, "help", word], capture_output=True, text=True)
        if done.returncode != 0 or not done.stdout.startswith(word):
            faults.append(f"{TABLE}: `egressc help {word}` does not help")
    return faults


def main():
    words = ROW.findall(source.read(TABLE))
    pages = [name[:-len(".md")] for name in sorted(os.listdir(PAGES)) if name.endswith(".md")]
    goldens = [path for path in source.files(GOLDEN, ending=("",)) if not path.endswith(".got")]
    faults = faults_of(words, pages, rows_of(source.read(EXPECTED)), codes_of(goldens))
    faults += help_faults(os.path.abspath(sys.argv[1]), words)
    source.finish(faults, len(words) and len(goldens), "reports")


if __name__ == "__main__":
    main()
