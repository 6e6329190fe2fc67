"""A Redis master, its replica and three sentinels; the master is cut off, with one of the sentinels, and healed."""
import os
import random
import shutil
import socket
import time

from real_servers.processes import Host, end, start
from real_servers.relay import Relay
from real_servers.times import Times

PORT, SENTINEL_PORT, MASTER = 6379, 26379, "m"


class Connection:
    def __init__(self, host, port):
        self.socket = host.inside(socket.socket)
        self.socket.settimeout(1)
        self.socket.connect((host.address, port))
        self.stream = self.socket.makefile("rb")

    def ask(self, *words):
        self.socket.sendall(" ".join(words).encode() + b"\r\n")
        return self._answer()

    def _answer(self):
        line = self.stream.readline().rstrip()
        if not line:
            raise ConnectionError("closed")
        if line[:1] == b"*":
            return [self._answer() for _ in range(int(line[1:]))]
        if line[:1] == b"$":
            return None if line == b"$-1" else self.stream.read(int(line[1:]) + 2)[:-2].decode()
        return line[1:].decode()


class Deployment:
    """The master on the first host, its replica on the second, a sentinel on each of three."""

    def __init__(self, folder, down_after_ms, failover_timeout_ms):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.hosts = [Host(i, apart=True) for i in (1, 2, 3)]
        self.relay = Relay(self.hosts, [PORT, SENTINEL_PORT])
        self.processes = []
        first = self.hosts[0]
        for host in self.hosts:
            common = f"bind {host.address}\nprotected-mode no\ndir {folder}\n"
            if host is not self.hosts[2]:
                follows = "" if host is first else f"replicaof {first.address} {PORT}\n"
                self._start(folder, f"redis{host.number}", host, "redis-server",
                            common + f"port {PORT}\nsave \"\"\nreplica-announce-ip {host.address}\n" + follows)
            self._start(folder, f"sentinel{host.number}", host, "redis-sentinel",
                        common + f"port {SENTINEL_PORT}\nsentinel announce-ip {host.address}\n"
                        f"sentinel monitor {MASTER} {first.address} {PORT} 2\n"
                        f"sentinel down-after-milliseconds {MASTER} {down_after_ms}\n"
                        f"sentinel failover-timeout {MASTER} {failover_timeout_ms}\n")
        self.wait_until_all_are_known()

    def _start(self, folder, name, host, program, text):
        with open(f"{folder}/{name}.conf", "w") as f:
            f.write(text)
        self.processes.append(start([program, f.name], log=f"{folder}/{name}.log", host=host))

    def wait_until_all_are_known(self):
        until = time.monotonic() + 30
        while True:
            try:
                said = [Connection(h, SENTINEL_PORT).ask("SENTINEL", "MASTER", MASTER) for h in self.hosts]
                known = [dict(zip(s[::2], s[1::2])) for s in said]
                if all(k["num-other-sentinels"] == "2" and k["num-slaves"] == "1" for k in known):
                    return
            except OSError:
                pass
            if time.monotonic() > until:
                raise TimeoutError("the sentinels do not find each other")
            time.sleep(0.1)

    def end(self):
        for process in self.processes:
            end(process)
        self.relay.end()
        for host in self.hosts:
            end(host.holder)


def _until(say, expected, limit_s):
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        try:
            if say() == expected:
                return time.monotonic()
        except OSError:
            pass  # it closes connections: ask again
        time.sleep(0.002)
    return None


def master_isolated(folder, down_after_ms, failover_timeout_ms, runs):
    """Until a sentinel of the other side names another master; healed 8 to 9 s later, until the old one follows it."""
    named, demoted = Times(), Times()
    for _ in range(runs):
        deployment = Deployment(folder, down_after_ms, failover_timeout_ms)
        old, other, last = deployment.hosts
        sentinel = Connection(last, SENTINEL_PORT)
        time.sleep(12 + random.random())  # INFO is asked for every ten seconds
        cut = time.monotonic()
        deployment.relay.cut(old)
        master = lambda: sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)[0]
        named.add(cut, _until(master, other.address, 15))
        time.sleep(max(0, cut + 8 + random.random() - time.monotonic()))
        healed = time.monotonic()
        deployment.relay.heal()
        role = lambda: Connection(old, PORT).ask("ROLE")[0]  # anew: a demotion kills the connections of clients
        demoted.add(healed, _until(role, "slave", 30))
        deployment.end()
    return named, demoted
