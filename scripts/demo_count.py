#!/usr/bin/env python3
"""demo_count.py REPORT N: is there a witness for each of exactly N widening policies in this JSON report?"""
import json
import sys


def main():
    path, wanted = sys.argv[1], int(sys.argv[2])
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    widening = [
        entry
        for boundary in report["boundaries"]
        for subject in boundary["subjects"]
        for entry in subject["egress"]["examined"]
        if entry["verdict"] == "widens-egress"
    ]
    with_witness = [entry for entry in widening if entry["witness"]]
    print(f"decision: {report['decision']}; policies that widen: {len(widening)}, with a witness: {len(with_witness)}")
    return 0 if report["decision"] == "refuse" and len(widening) == len(with_witness) == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
