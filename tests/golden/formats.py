#!/usr/bin/env python3
"""The formats of a report say the same: formats.py --bin EGRESSC

Each case of `cases` that makes findings runs once a format. Exit statuses are equal; errors are as many in SARIF, JUnit,
annotations and Markdown, and what fails in them is what the exit status says; counts of JUnit are those of its cases;
rules and fingerprints of SARIF are sound.
"""
import argparse
import concurrent.futures
import json
import os
import re
import sys

import run

FORMATS = ("text", "json", "sarif", "junit", "github", "markdown")
REPORTING = ("explain", "lint", "verify")


class Reported(run.Case):
    """A case with another format."""

    def __init__(self, case, form):
        self.input = case.input
        self.arguments = without_format(case.arguments) + ["--report", form]


def without_format(arguments):
    """The arguments without --report and its value."""
    kept = list(arguments)
    if "--report" in kept:
        at = kept.index("--report")
        del kept[at:at + 2]
    return kept


def sarif_faults(text, errors):
    document = json.loads(text)["runs"][0]
    results, rules = document["results"], document["tool"]["driver"]["rules"]
    marks = [result["partialFingerprints"]["egressc/v1"] for result in results]
    faults = []
    if sum(result["level"] == "error" for result in results) != errors:
        faults.append("sarif: another number of errors than markdown")
    if any(rules[result["ruleIndex"]]["id"] != result["ruleId"] for result in results):
        faults.append("sarif: a result names another rule than its index")
    if len({rule["id"] for rule in rules}) != len(rules):
        faults.append("sarif: a rule stands twice")
    if len(set(marks)) != len(marks):
        faults.append("sarif: two results have one fingerprint")
    return faults


def junit_faults(text, status, errors, strict):
    faults = []
    for what, tag in (("tests", "<testcase"), ("failures", "<failure")):
        if any(int(count) != text.count(tag) for count in re.findall(rf'{what}="(\d+)"', text)):
            faults.append(f"junit: {what} are not as many as it says")
    failures = text.count("<failure")
    if (failures > 0) != (status == 1):
        faults.append(f"junit: {failures} failures, and the exit status is {status}")
    if failures < errors or (failures > errors and not strict):
        faults.append("junit: other failures than errors")
    return faults


def faults_of(case, program):
    """What the formats of a case do not agree on."""
    done = {form: Reported(case, form).run(program) for form in FORMATS}
    statuses = {form: status for form, (_, _, status) in done.items()}
    if len(set(statuses.values())) > 1:
        return [f"exit statuses differ: {statuses}"]
    status = statuses["text"]
    if status == 2 or "--diff" in case.arguments:
        return []
    text = {form: out.decode() for form, (out, _, _) in done.items()}
    errors = int(re.search(r"(\d+) errors?", text["markdown"]).group(1))
    strict = "--strict" in case.arguments
    faults = sarif_faults(text["sarif"], errors) + junit_faults(text["junit"], status, errors, strict)
    if len(re.findall("^::error ", text["github"], re.MULTILINE)) != errors:
        faults.append("github: another number of errors than markdown")
    if (errors > 0) != (status == 1) and not strict:
        faults.append(f"{errors} errors, and the exit status is {status}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    program = os.path.abspath(parser.parse_args().bin)
    cases = {}
    for case in run.read_cases(os.path.join(run.HERE, "cases")):
        if case.arguments[0] in REPORTING:
            cases.setdefault((case.input, *without_format(case.arguments)), case)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, faults in zip(cases.values(), pool.map(lambda case: faults_of(case, program), cases.values())):
            failed += bool(faults)
            for fault in faults:
                print(f"FAILED {case.name}: {fault}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
