"""Hunts for mistakes in locks, and for their absence: what scripts/lua-mutants and scripts/own-mutants share."""
import argparse
import json
import sys

from processor_time import processor_seconds, run_for


def read_options(usage):
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--plans", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", default="")
    return parser.parse_args()


def read_mutants(table, only):
    """The lines of a table whose text contains `only`, as lists of cells; ends the program if there are none."""
    lines = [line for line in table.read_text().splitlines() if line and not line.startswith("#") and only in line]
    if not lines:
        sys.exit(f"{table}: no mistake has '{only}' in its line")
    return [line.split("\t") for line in lines]


class Hunts:
    """Plays hunts, prints a line for each, and counts those that do not end as they should."""

    def __init__(self, program, options, environment=None):
        self.program, self.options, self.environment = program, options, environment
        self.wrong = 0

    def hunt(self, lock, prop, twin, should_find, names, words):
        before = processor_seconds()
        command = [self.program, "hunt", "--lock", lock, "--property", prop, "--within-assumptions", "--findings", "1", "--jobs", "1",
                   "--shrink-runs", "0", "--plans", str(self.options.plans), "--format", "json"]
        if twin:
            command += ["--against-set", f"lock.name={twin}"]
        status, out, err = run_for(self.options.seconds, command, self.environment)
        if status == 2 or not out:
            sys.exit(f"{lock}: {err}{out}")
        said = json.loads(out)
        found = bool(said["findings"])
        doubts = [f"{len(said['errors'])} errors"] if said["errors"] else []
        if not found and not said["tested_much"]:
            doubts.append("tested little")
        if not found and not said["tested_all"]:
            doubts.append("not tested: no plan could have broken it")
        self.wrong += found != should_find or (not should_find and bool(doubts))
        verdict = ("found" if found else "NOT FOUND") if should_find else ("FOUND" if found else "none")
        print(f"{names} {prop:21} {verdict:10} {said['plans']:6} plans {processor_seconds() - before:6.2f} s  {words}"
              + "".join(f"  {doubt}" for doubt in doubts), flush=True)
