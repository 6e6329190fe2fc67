"""Random requests of two sessions for a ZooKeeper server and for the simulated tree, and their answers side by side.

Numbers of transactions are counted from the first create, of which both sides know; those of sessions are compared in their order
of appearance.
"""
import json
import os
import random
import subprocess
import time

from real_servers.processes import end, start
from real_servers.zookeeper import JAVA_PATH, LOGGING

PORT = 12181
NAMES = ["a", "b", "a/x", "a/y", "b/z", "c"]
MODES = [0, 0, 1, 2, 3]  # persistent, ephemeral, persistent and ephemeral sequential
CODES = {"NoNodeError": -101, "BadVersionError": -103, "NoChildrenForEphemeralsError": -108, "NodeExistsError": -110,
         "NotEmptyError": -111, "RuntimeInconsistency": -2, "BadArgumentsError": -8, "RolledBackError": 0}


def _path(r):
    return "/t/" + r.choice(NAMES)


def _write(r):
    version = r.choice([-1, -1, 0, 1, 2])
    op = r.choice(["create", "create", "delete", "set", "check"])
    if op == "create":
        return {"op": op, "path": _path(r), "data": r.choice(["", "x", "yy"]), "mode": r.choice(MODES)}
    if op == "set":
        return {"op": op, "path": _path(r), "data": r.choice(["", "x", "yy"]), "version": version}
    return {"op": op, "path": _path(r), "version": version}


def request(r):
    said = {"session": r.choice([1, 2])}
    n = r.random()
    if n < 0.35:
        said |= {"op": r.choice(["exists", "get", "get_children"]), "path": _path(r)}
    elif n < 0.85:
        one = _write(r)
        while one["op"] == "check":  # only in a multi
            one = _write(r)
        said |= one
    else:
        said |= {"op": "multi", "parts": [_write(r) for _ in range(r.randrange(1, 5))]}
    return said


class Numbers:
    """Names for numbers, by their first appearance."""

    def __init__(self):
        self.names = {0: 0}

    def name(self, number):
        return self.names.setdefault(number, len(self.names))


class Side:
    def __init__(self):
        self.sessions = Numbers()
        self.first_zxid = None

    def stat(self, s):
        czxid, mzxid, pzxid, version, cversion, owner, length, children = s
        if self.first_zxid is None:
            self.first_zxid = czxid
        return [zxid - self.first_zxid for zxid in (czxid, mzxid, pzxid)] + [version, cversion, self.sessions.name(owner),
                                                                             length, children]


class Real(Side):
    def __init__(self, folder):
        super().__init__()
        os.makedirs(folder + "/data", exist_ok=True)
        for name, text in (("log4j.properties", LOGGING), ("zoo.cfg", f"tickTime=2000\ndataDir={folder}/data\nclientPort={PORT}\n"
                           "clientPortAddress=127.0.0.1\nadmin.enableServer=false\nforceSync=no\n")):
            with open(f"{folder}/{name}", "w") as f:
                f.write(text)
        self.process = start(["java", "-Xmx256m", f"-Dlog4j.configuration=file:{folder}/log4j.properties", "-cp", JAVA_PATH,
                              "org.apache.zookeeper.server.quorum.QuorumPeerMain", f"{folder}/zoo.cfg"], log=f"{folder}/log")
        from kazoo.client import KazooClient
        self.clients = []
        for _ in range(2):
            client = KazooClient(f"127.0.0.1:{PORT}", timeout=30)
            client.start(timeout=30)
            self.clients.append(client)

    def ask(self, said):
        client = self.clients[said["session"] - 1]
        try:
            return self._ask(client, said)
        except Exception as error:  # kazoo has a class for each code
            name = type(error).__name__
            if name not in CODES:
                raise
            return {"code": CODES[name]}

    def _stat(self, s):
        return self.stat([s.czxid, s.mzxid, s.pzxid, s.version, s.cversion, s.ephemeralOwner, s.dataLength, s.numChildren])

    def _ask(self, client, said):
        op, path = said["op"], said.get("path")
        if op == "create":
            made, stat = client.create(path, said["data"].encode(), ephemeral=said["mode"] & 1 == 1,
                                       sequence=said["mode"] & 2 == 2, include_data=True)
            return {"code": 0, "path": made, "stat": self._stat(stat)}
        if op == "delete":
            client.delete(path, said["version"])
            return {"code": 0}
        if op == "set":
            return {"code": 0, "stat": self._stat(client.set(path, said["data"].encode(), said["version"]))}
        if op == "exists":
            stat = client.exists(path)
            return {"code": 0, "stat": self._stat(stat)} if stat else {"code": -101}
        if op == "get":
            data, stat = client.get(path)
            return {"code": 0, "data": data.decode(), "stat": self._stat(stat)}
        if op == "get_children":
            names, stat = client.get_children(path, include_data=True)
            return {"code": 0, "children": sorted(names), "stat": self._stat(stat)}
        transaction = client.transaction()
        for p in said["parts"]:
            if p["op"] == "create":
                transaction.create(p["path"], p["data"].encode(), ephemeral=p["mode"] & 1 == 1, sequence=p["mode"] & 2 == 2)
            elif p["op"] == "delete":
                transaction.delete(p["path"], p["version"])
            elif p["op"] == "set":
                transaction.set_data(p["path"], p["data"].encode(), p["version"])
            else:
                transaction.check(p["path"], p["version"])
        parts = []
        for answer in transaction.commit():
            if isinstance(answer, Exception):
                parts.append({"code": CODES[type(answer).__name__]})
            elif isinstance(answer, str):
                parts.append({"code": 0, "path": answer})
            elif answer is True:
                parts.append({"code": 0})
            else:
                parts.append({"code": 0, "stat": self._stat(answer)})
        return {"parts": parts}

    def end(self):
        for client in self.clients:
            client.stop()
        end(self.process)


class Simulated(Side):
    def __init__(self, program):
        super().__init__()
        self.process = subprocess.Popen([program, "zookeeper"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        bufsize=1)

    def ask(self, said):
        self.process.stdin.write(json.dumps(said) + "\n")
        return self._answer(said, json.loads(self.process.stdout.readline()))

    def _answer(self, said, a, within=False):
        op = said["op"]
        if op == "multi":
            failed = any(p["code"] != 0 for p in a["parts"])
            return {"parts": [{"code": p["code"]} if failed else self._answer(s, p, True) for s, p in zip(said["parts"], a["parts"])]}
        if a["code"] != 0:
            return {"code": a["code"]}
        out = {"code": 0}
        if op == "create":
            out["path"] = a["path"]
            if not within:
                out["stat"] = self.stat(a["stat"])
        if op == "get":
            out["data"] = a["data"]
        if op == "get_children":
            out["children"] = sorted(a["children"])
        if op in ("set", "exists", "get", "get_children"):
            out["stat"] = self.stat(a["stat"])
        return out

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def compare(folder, program, requests, seed, report):
    """Asks both; calls report(request, real, here) for each difference. The number of requests."""
    r = random.Random(seed)
    real, here = Real(folder), Simulated(program)
    try:
        for number in range(requests):
            said = {"session": 1, "op": "create", "path": "/t", "data": "", "mode": 0} if number == 0 else request(r)
            a, b = real.ask(said), here.ask(said)
            if a != b:
                report(said, a, b)
            if a == b and r.random() < 0.02:  # sequential nodes would grow without end
                for parent in ("/t/a", "/t/b", "/t"):
                    listing = {"session": 1, "op": "get_children", "path": parent}
                    for name in real.ask(listing).get("children", []):
                        if name[-1].isdigit():
                            gone = {"session": 1, "op": "delete", "path": f"{parent}/{name}", "version": -1}
                            if real.ask(gone) != here.ask(gone):
                                report(gone, "deleted", "not")
                    here.ask(listing)
    finally:
        real.end()
        here.end()
    return requests
