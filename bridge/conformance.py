#!/usr/bin/env python3
"""Tries whether a program keeps the contract of bridge/README.md: for packages of other languages, and for adapters.

    conformance.py 'COMMAND' [--picklock PROGRAM]

It plays scenarios with the program as the lock, and reads their results. Each line of the output is one promise of the contract and
whether it was kept. Exit status: 0 all are kept; 1 one is broken; 3 one could not be tried.
"""
import argparse
import json
import subprocess
import sys

KEPT, BROKEN, UNTRIED = "kept", "broken", "not tried"


class Program:
    def __init__(self, picklock, command):
        self.picklock, self.command = picklock, command

    def ask(self, *words):
        """The status, the document, and the words of an error."""
        done = subprocess.run([self.picklock, *words, "--lock", self.command, "--format", "json"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            document = json.loads(done.stdout)
        except ValueError:
            return done.returncode, {}, done.stderr.strip() or f"picklock ended with status {done.returncode}"
        errors = [e if isinstance(e, str) else e.get("found", str(e)) for e in document.get("errors", [])]
        return done.returncode, document, "\n".join(errors)

    def digest(self, scenario, first, last, jobs=1):
        _, document, error = self.ask("run", scenario, "--seeds", f"{first}..{last}", "--jobs", str(jobs))
        return error or document.get("digest", "no digest")

    def counts(self, scenario, seeds=5):
        """Of each property its counts; an error instead."""
        _, document, error = self.ask("run", scenario, "--seeds", str(seeds))
        return {p["property"]: p for p in document.get("properties", [])}, error


def held(counts, name, verdict="holds"):
    """In how many runs; a property that does not apply is in no list."""
    return counts.get(name, {}).get(verdict, 0)


def greets(program):
    status, _, error = program.ask("run", "healthy_control", "--seeds", "1..1")
    return (BROKEN, error) if status == 2 or error else (KEPT, "")


def grants(program):
    counts, error = program.counts("healthy_control")
    if error:
        return BROKEN, error
    if held(counts, "mutual-exclusion", "violated"):
        return BROKEN, "two clients were inside although nothing failed"
    return (KEPT, "") if held(counts, "mutual-exclusion") else (BROKEN, "no two clients contended: acquire() was never granted, or never answered")


def grants_are_seen(program):
    counts, error = program.counts("healthy_control")
    if error:
        return UNTRIED, error
    if held(counts, "double-grant"):
        return KEPT, ""
    return BROKEN, "no grant was seen at a server: the head needs a `key` if the library puts a prefix before the name"


def releases(program):
    counts, error = program.counts("healthy_control")
    if error:
        return UNTRIED, error
    return (KEPT, "") if held(counts, "never-free-again") else (BROKEN, "the lock was not free after the run")


def is_repeatable(program):
    alone = {program.digest("paused_holder", 7, 7) for _ in range(3)}
    if len(alone) != 1:
        return BROKEN, f"seed 7 had {len(alone)} digests in three processes"
    one, two = program.digest("paused_holder", 1, 20), program.digest("paused_holder", 1, 20, jobs=2)
    return (KEPT, "") if one == two else (BROKEN, "a run depends on those before it: a run needs a fork or a new process of its own")


def is_seeded(program):
    digests = {program.digest("paused_holder", seed, seed) for seed in range(1, 6)}
    return (KEPT, "") if len(digests) == 5 else (BROKEN, "other seeds gave equal runs")


def survives(scenario):
    def tried(program):
        counts, error = program.counts(scenario)
        if error:
            return BROKEN, error
        return (KEPT, "") if counts else (UNTRIED, "the scenario has no verdicts")
    return tried


CHECKS = [
    ("it starts, connects to PICKLOCK_CONTROL and greets with version 1 and a head", greets),
    ("acquire is granted, and refused or kept waiting while another holds", grants),
    ("its grants are seen at the key that its head tells", grants_are_seen),
    ("release gives the lock back", releases),
    ("a pause in the middle of a hold does not end it", survives("paused_holder")),
    ("a kill ends it, and it begins anew", survives("crash_without_expiry")),
    ("its calls of several threads are answered by their ids", survives("jedis_same_thread_names")),
    ("a connection that ends is an error of the library, not of the program", survives("restart_without_fsync")),
    ("a run is repeated by its seed: alone, in another process, and after others", is_repeatable),
    ("its randomness is drawn from the seed of the run", is_seeded),
]


def main():
    parser = argparse.ArgumentParser(description="tries whether a program keeps picklock's contract for locks")
    parser.add_argument("command", help="the program, such as 'ruby my_lock.rb'")
    parser.add_argument("--picklock", default="picklock", help="the picklock to try it with")
    given = parser.parse_args()
    program, results = Program(given.picklock, given.command), []
    for promise, check in CHECKS:
        starts = not results or results[0] == KEPT
        result, why = check(program) if starts else (UNTRIED, "it does not start")
        results.append(result)
        print(f"{result:9}  {promise}" + ("" if not why else "\n           " + why.replace("\n", "\n           ")), flush=True)
    return 1 if BROKEN in results else 3 if UNTRIED in results else 0


if __name__ == "__main__":
    sys.exit(main())
