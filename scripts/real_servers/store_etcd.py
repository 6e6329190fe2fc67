"""Random requests for etcd's JSON gateway and for the simulated store, and their answers side by side."""
import base64
import json
import random
import subprocess
import time
import http.client

from real_servers.processes import end, start

PORT, PEER = 12379, 12380
KEYS = ["a", "a/1", "a/2", "b", "c", "d/x"]
ENDS = ["", "", "", "\0", "b", "c", "a/9", "zz"]
LEASES = [101, 102, 103]
TTL_S = 100_000


def _b64(text):
    return base64.b64encode(text.encode()).decode()


def _interval(r):
    keys = {"key": _b64(r.choice(KEYS))}
    stop = r.choice(ENDS)
    if stop:
        keys["range_end"] = _b64(stop)
    return keys


def _range(r, top):
    body = _interval(r)
    if r.random() < 0.3:
        body["limit"] = str(r.choice([1, 2, 3]))
    if r.random() < 0.3:
        body["sort_target"] = r.choice(["KEY", "VERSION", "CREATE", "MOD", "VALUE"])
        body["sort_order"] = r.choice(["ASCEND", "DESCEND"])
    for name in ("min_create_revision", "max_create_revision", "min_mod_revision", "max_mod_revision"):
        if r.random() < 0.1:
            body[name] = str(max(1, top - r.randrange(0, 12)))
    for name in ("keys_only", "count_only", "serializable"):
        if r.random() < 0.1:
            body[name] = True
    if r.random() < 0.15:
        body["revision"] = str(max(1, top + r.choice([-30, -8, -3, -1, 0, 0, 2])))
    return body


def _put(r):
    body = {"key": _b64(r.choice(KEYS)), "value": _b64(r.choice(["", "x", "y", "longer"]))}
    if r.random() < 0.3:
        body["lease"] = str(r.choice(LEASES))
    if r.random() < 0.3:
        body["prev_kv"] = True
    return body


def _delete(r):
    body = _interval(r)
    if r.random() < 0.4:
        body["prev_kv"] = True
    return body


def _compare(r, top):
    target = r.choice(["VERSION", "CREATE", "MOD", "VALUE", "LEASE"])
    body = _interval(r) if r.random() < 0.2 else {"key": _b64(r.choice(KEYS))}
    body["target"] = target
    body["result"] = r.choice(["EQUAL", "GREATER", "LESS", "NOT_EQUAL"])
    field = {"VERSION": "version", "CREATE": "create_revision", "MOD": "mod_revision", "VALUE": "value", "LEASE": "lease"}
    number = {"VERSION": r.randrange(3), "LEASE": r.choice([0] + LEASES)}.get(target, r.choice([0, top, max(0, top - 4)]))
    body[field[target]] = _b64(r.choice(["", "x", "y"])) if target == "VALUE" else str(number)
    return body


def _op(r, top):
    return r.choice([lambda: {"request_range": _range(r, top)}, lambda: {"request_put": _put(r)},
                     lambda: {"request_delete_range": _delete(r)}])()


def _txn(r, top):
    return {"compare": [_compare(r, top) for _ in range(r.randrange(4))],
            "success": [_op(r, top) for _ in range(r.randrange(4))],
            "failure": [_op(r, top) for _ in range(r.randrange(4))]}


def request(r, top):
    n = r.random()
    if n < 0.25:
        return "kv/range", _range(r, top)
    if n < 0.5:
        return "kv/put", _put(r)
    if n < 0.6:
        return "kv/deleterange", _delete(r)
    if n < 0.9:
        return "kv/txn", _txn(r, top)
    if n < 0.94:
        return "lease/grant", {"ID": str(r.choice(LEASES)), "TTL": str(TTL_S)}
    if n < 0.97:
        return "lease/revoke", {"ID": str(r.choice(LEASES))}
    return "kv/compaction", {"revision": str(max(0, top + r.choice([-20, -5, -1, 0, 3])))}


BYTES = ("key", "range_end", "value")


def _plain(body):
    """The same with texts for base64, as the simulated store reads it."""
    if isinstance(body, list):
        return [_plain(one) for one in body]
    if not isinstance(body, dict):
        return body
    return {k: base64.b64decode(v).decode() if k in BYTES else _plain(v) for k, v in body.items()}


def _kv(kv):
    text = lambda name: base64.b64decode(kv.get(name, "")).decode()
    number = lambda name: int(kv.get(name, 0))
    return [text("key"), text("value"), number("create_revision"), number("mod_revision"), number("version"), number("lease")]


def _answer(kind, body):
    if kind == "kv/range" or kind == "response_range":
        return {"kvs": [_kv(kv) for kv in body.get("kvs", [])], "count": int(body.get("count", 0)), "more": body.get("more", False)}
    if kind == "kv/put" or kind == "response_put":
        return {"prev_kv": _kv(body["prev_kv"]) if "prev_kv" in body else None}
    if kind == "kv/deleterange" or kind == "response_delete_range":
        return {"deleted": int(body.get("deleted", 0)), "prev_kvs": [_kv(kv) for kv in body.get("prev_kvs", [])]}
    if kind == "kv/txn":
        responses = [_answer(*next(iter(one.items()))) for one in body.get("responses", [])]
        return {"succeeded": body.get("succeeded", False), "responses": responses}
    return {}


class Real:
    def __init__(self, folder):
        peer, client = f"http://127.0.0.1:{PEER}", f"http://127.0.0.1:{PORT}"
        self.process = start(["etcd", "--name", "m", "--data-dir", f"{folder}/etcd", "--listen-peer-urls", peer,
                              "--initial-advertise-peer-urls", peer, "--listen-client-urls", client,
                              "--advertise-client-urls", client, "--initial-cluster", f"m={peer}"], log=f"{folder}/etcd.log")
        until = time.monotonic() + 30
        while True:
            try:
                self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
                self.ask("kv/range", {"key": _b64("x")})
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def ask(self, path, body):
        self.connection.request("POST", "/v3/" + path, json.dumps(body))
        response = self.connection.getresponse()
        said = json.loads(response.read())
        if response.status != 200:
            return {"error": said["error"].removeprefix("etcdserver: ").removeprefix("mvcc: ")}
        return {"error": "", "revision": int(said["header"]["revision"]), "body": _answer(path, said)}

    def end(self):
        end(self.process)


class Simulated:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "etcd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.top = 1

    def ask(self, path, body):
        self.process.stdin.write(json.dumps({"path": path, "body": _plain(body)}) + "\n")
        answer = json.loads(self.process.stdout.readline())
        self.top = answer.pop("top")
        answer["error"] = answer["error"].removeprefix("etcdserver: ").removeprefix("mvcc: ")
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def compare(folder, program, requests, seed, report):
    """Asks both; calls report(request, real, here) for each difference. The number of requests."""
    r = random.Random(seed)
    real, here = Real(folder), Simulated(program)
    try:
        for _ in range(requests):
            path, body = request(r, here.top)
            b = here.ask(path, body)
            a = real.ask(path, body)
            if a != b:
                report((path, _plain(body)), a, b)
    finally:
        real.end()
        here.end()
    return requests
