"""A cluster of three etcd members, and faults for it.

Requests go through the JSON gateway; the client that is stopped is etcdctl, which keeps a lease alive as Go programs
do.
"""
import base64
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time

from real_servers.processes import Host, end, start
from real_servers.relay import Relay
from real_servers.times import Times

CLIENT_PORT, PEER_PORT = 2379, 2380


def _b64(text):
    return base64.b64encode(text.encode()).decode()


class Gateway:
    """Requests to one member, one connection for all of them while they are answered."""

    def __init__(self, host):
        self.host, self.connection = host, None

    def ask(self, path, body, patience_s=2.0):
        """The answer, or None: refused, or not answered in time."""
        try:
            if self.connection is None:
                self.connection = self._connect(patience_s)
            self.connection.sock.settimeout(patience_s)
            self.connection.request("POST", "/v3/" + path, json.dumps(body))
            response = self.connection.getresponse()
            answer = json.loads(response.read())
            return answer if response.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return None

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _connect(self, patience_s):
        connection = http.client.HTTPConnection(self.host.address, CLIENT_PORT, timeout=patience_s)
        connection.sock = self.host.inside(socket.socket)
        connection.sock.settimeout(patience_s)
        connection.sock.connect((self.host.address, CLIENT_PORT))
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def put(self, key, value="", lease=0, patience_s=2.0):
        return self.ask("kv/put", {"key": _b64(key), "value": _b64(value), "lease": str(lease)}, patience_s) is not None

    def get(self, key, serializable, patience_s=2.0):
        answer = self.ask("kv/range", {"key": _b64(key), "serializable": serializable}, patience_s)
        if answer is None:
            return None
        return base64.b64decode(answer["kvs"][0].get("value", "")).decode() if "kvs" in answer else ""

    def grant(self, ttl_s):
        answer = self.ask("lease/grant", {"TTL": ttl_s})
        return int(answer["ID"]) if answer else None


class Deletions:
    """When keys below a prefix were deleted, as one member tells it."""

    def __init__(self, host, prefix):
        self.at = {}
        self.connection = Gateway(host)._connect(60)
        last = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        self.connection.request("POST", "/v3/watch", json.dumps(
            {"create_request": {"key": _b64(prefix), "range_end": _b64(last)}}))
        self.response = self.connection.getresponse()
        self.response.readline()  # it is created
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            while line := self.response.readline():
                now = time.monotonic()
                for event in json.loads(line).get("result", {}).get("events", []):
                    if event.get("type") == "DELETE":
                        self.at.setdefault(base64.b64decode(event["kv"]["key"]).decode(), now)
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed

    def wait_for(self, keys, limit_s):
        until = time.monotonic() + limit_s
        while not all(k in self.at for k in keys) and time.monotonic() < until:
            time.sleep(0.002)

    def close(self):
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.connection.close()


class Cluster:
    def __init__(self, folder, election_ms, apart=False):
        self.folder, self.election_ms = folder, election_ms
        self.hosts = [Host(i, apart) for i in (1, 2, 3)]
        self.relay = Relay(self.hosts, [PEER_PORT]) if apart else None
        self.members = {}
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for host in self.hosts:
            self.start(host, "new")
        self.wait_for_all()

    def start(self, host, state="existing"):
        peer, client = f"http://{host.address}:{PEER_PORT}", f"http://{host.address}:{CLIENT_PORT}"
        cluster = ",".join(f"m{h.number}=http://{h.address}:{PEER_PORT}" for h in self.hosts)
        self.members[host.number] = start(
            ["etcd", "--name", f"m{host.number}", "--data-dir", f"{self.folder}/m{host.number}", "--logger", "zap",
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--listen-client-urls", client,
             "--advertise-client-urls", client, "--initial-cluster", cluster, "--initial-cluster-state", state,
             "--election-timeout", str(self.election_ms), "--heartbeat-interval", str(self.election_ms // 10)],
            log=f"{self.folder}/m{host.number}.log", host=host)

    def status(self, host):
        return Gateway(host).ask("maintenance/status", {}, 1.0)

    def leader(self):
        """The host that its own member and the others take for the leader, once they agree."""
        for _ in range(600):
            said = [self.status(h) for h in self.hosts]
            if all(said) and len({s.get("leader") for s in said}) == 1 and said[0].get("leader"):
                for host, status in zip(self.hosts, said):
                    if status["header"]["member_id"] == status["leader"]:
                        return host
            time.sleep(0.05)
        raise TimeoutError(f"no leader in {self.folder}")

    def wait_for_all(self):
        self.leader()
        for host in self.hosts:
            gateway, until = Gateway(host), time.monotonic() + 30
            while not gateway.put("ready", patience_s=1.0):
                if time.monotonic() > until:
                    raise TimeoutError(f"no cluster in {self.folder}")
                time.sleep(0.05)

    def end(self):
        for member in self.members.values():
            end(member)
        if self.relay is not None:
            self.relay.end()
        for host in self.hosts:
            if host.holder is not None:
                end(host.holder)


def until_a_write(host, value="again", limit_s=30):
    """When this member has taken a write; each waits 100 ms at most, the next follows 5 ms later."""
    gateway, until = Gateway(host), time.monotonic() + limit_s
    while time.monotonic() < until:
        if gateway.put("written", value, patience_s=0.1):
            return time.monotonic()
        gateway.close()
        time.sleep(0.005)
    return None


def leases_end(cluster, ttl_s, runs):
    """Of leases without renewals, granted at drawn instants: until their keys are gone."""
    follower = next(h for h in cluster.hosts if h is not cluster.leader())
    gateway, deletions, since, times = Gateway(cluster.leader()), Deletions(follower, "ends/"), {}, Times()
    for i in range(runs):
        time.sleep(random.random() * 0.5)
        lease, key = gateway.grant(ttl_s), f"ends/{ttl_s}-{i}"
        since[key] = time.monotonic()
        gateway.put(key, "", lease)
    deletions.wait_for(since, ttl_s + 5)
    for key, granted in since.items():
        times.add(granted, deletions.at.get(key))
    deletions.close()
    return times


class KeepAlive:
    """etcdctl, and when it said that it had renewed the lease."""

    def __init__(self, hosts, lease):
        endpoints = ",".join(f"http://{h.address}:{CLIENT_PORT}" for h in hosts)
        self.process = start(["etcdctl", "--endpoints", endpoints, "lease", "keep-alive", f"{lease:x}"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ | {"ETCDCTL_API": "3"})
        self.renewed = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            if b"keepalived" in line:
                self.renewed.append(time.monotonic())


def client_stopped(cluster, ttl_s, runs):
    """etcdctl is stopped at a drawn instant: from there, and from its last renewal, until its key is gone."""
    follower = next(h for h in cluster.hosts if h is not cluster.leader())
    gateway, deletions = Gateway(cluster.leader()), Deletions(follower, "stopped/")
    from_stop, from_renewal, between = Times(), Times(), Times()
    for first in range(0, runs, 5):
        clients, stops = {}, {}
        for i in range(first, min(first + 5, runs)):
            lease, key = gateway.grant(ttl_s), f"stopped/{ttl_s}-{i}"
            gateway.put(key, "", lease)
            time.sleep(random.random() * 0.5)  # its renewals come every second, the lessor looks every half
            clients[key] = KeepAlive(cluster.hosts, lease)
        time.sleep(3)
        for key, client in clients.items():
            time.sleep(random.random())
            stops[key] = time.monotonic()
            os.killpg(client.process.pid, signal.SIGSTOP)
        deletions.wait_for(stops, ttl_s + 5)
        for key, client in clients.items():
            from_stop.add(stops[key], deletions.at.get(key))
            from_renewal.add(client.renewed[-1], deletions.at.get(key))
            for one, next_one in zip(client.renewed[1:], client.renewed[2:]):
                between.add(one, next_one)
            end(client.process)
    deletions.close()
    return from_stop, from_renewal, between


def leader_stopped(folder, election_ms, ttl_s, runs):
    """The leader is stopped a second after it has granted a lease: from the grant until the key is gone."""
    cluster, times, elections = Cluster(folder, election_ms), Times(), Times()
    for i in range(runs):
        time.sleep(0.5 + random.random())
        leader = cluster.leader()
        follower = next(h for h in cluster.hosts if h is not leader)
        deletions, gateway, key = Deletions(follower, "stays/"), Gateway(leader), f"stays/{i}"
        lease = gateway.grant(ttl_s)
        granted = time.monotonic()
        gateway.put(key, "", lease)
        time.sleep(granted + 1 - time.monotonic())
        stopped = time.monotonic()
        os.killpg(cluster.members[leader.number].pid, signal.SIGSTOP)
        elections.add(stopped, until_a_write(follower))
        deletions.wait_for([key], ttl_s + 10)
        times.add(granted, deletions.at.get(key))
        os.killpg(cluster.members[leader.number].pid, signal.SIGCONT)
        deletions.close()
        cluster.wait_for_all()
    cluster.end()
    return times, elections


def leader_killed(folder, election_ms, runs):
    cluster, times = Cluster(folder, election_ms), Times()
    for _ in range(runs):
        time.sleep(0.5 + random.random())
        leader = cluster.leader()
        follower = random.choice([h for h in cluster.hosts if h is not leader])
        began = time.monotonic()
        end(cluster.members[leader.number])
        times.add(began, until_a_write(follower))
        cluster.start(leader)
        cluster.wait_for_all()
    cluster.end()
    return times


def leader_isolated(folder, election_ms, runs):
    """And what the leader answers then, which does not know it: to a serializable read, and to a linearizable one."""
    cluster, times, stale, linearizable = Cluster(folder, election_ms, apart=True), Times(), 0, 0
    for i in range(runs):
        time.sleep(0.5 + random.random())
        leader = cluster.leader()
        follower = random.choice([h for h in cluster.hosts if h is not leader])
        Gateway(leader).put("written", f"before {i}")
        began = time.monotonic()
        cluster.relay.cut(leader)
        times.add(began, until_a_write(follower, f"after {i}"))
        stale += Gateway(leader).get("written", True) == f"before {i}"
        linearizable += Gateway(leader).get("written", False, 1.0) is not None
        cluster.relay.heal()
        cluster.wait_for_all()
    cluster.end()
    return times, stale, linearizable
