"""An ensemble of three ZooKeeper servers, and faults for it.

Sessions speak the wire protocol themselves, so that it is known when a server heard of them last; the client that is
stopped is the Java library's, behind zkCli.
"""
import os
import random
import select
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

from real_servers.processes import Host, end, start
from real_servers.relay import Relay
from real_servers.times import Times, later, log_line

JAVA_PATH = ":".join(f"/usr/share/java/{jar}.jar" for jar in ("zookeeper", "slf4j-log4j12", "log4j-1.2"))
CLIENT_PORT, PEER_PORT, ELECTION_PORT = 2181, 2888, 3888
EPHEMERAL = 1
_CREATE, _EXISTS, _SET, _PING, _WATCHES = 1, 3, 5, 11, -1

LOGGING = """log4j.rootLogger=INFO, CONSOLE
log4j.appender.CONSOLE=org.apache.log4j.ConsoleAppender
log4j.appender.CONSOLE.layout=org.apache.log4j.PatternLayout
log4j.appender.CONSOLE.layout.ConversionPattern=%d{ISO8601} [%t:%C{1}] %m%n
"""


class Closed(Exception):
    pass


class Session:
    """A session and its connection to one server, which only the caller keeps alive."""

    def __init__(self, host, timeout_ms, patience_s=2.0):
        self.socket = host.inside(socket.socket)
        self.socket.settimeout(patience_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.xid, self.events = 0, []
        try:
            self.socket.connect((host.address, CLIENT_PORT))
            self._send(struct.pack(">iqiqi16s?", 0, 0, timeout_ms, 0, 16, b"", False))
            self.timeout_ms, self.id = struct.unpack(">iq", self._receive()[4:16])
        except OSError as error:
            self.close()
            raise Closed from error

    def create(self, path, flags=0):
        acl = struct.pack(">ii", 1, 31) + _text("world") + _text("anyone")
        return self._ask(_CREATE, _text(path) + _text("") + acl + struct.pack(">i", flags))

    def write(self, path):
        return self._ask(_SET, _text(path) + _text("") + struct.pack(">i", -1))

    def watch(self, path):
        return self._ask(_EXISTS, _text(path) + b"\1")

    def ping(self):
        self._send(struct.pack(">ii", -2, _PING))

    def wait_for_event(self, until):
        """When one came, pinging meanwhile; None if none has come."""
        while not self.events and time.monotonic() < until:
            rest = min(self.timeout_ms / 3000, until - time.monotonic())
            if select.select([self.socket], [], [], max(0, rest))[0]:
                self._take(self._receive())
            else:
                self.ping()
        return self.events.pop(0) if self.events else None

    def close(self):
        self.socket.close()

    def _ask(self, kind, body):
        self.xid += 1
        self._send(struct.pack(">ii", self.xid, kind) + body)
        while True:
            answer = self._receive()
            if self._take(answer) == self.xid:
                return struct.unpack(">i", answer[12:16])[0]  # an error, or 0

    def _take(self, answer):
        xid = struct.unpack(">i", answer[:4])[0]
        if xid == _WATCHES:
            length = struct.unpack(">i", answer[24:28])[0]
            self.events.append((time.monotonic(), answer[28:28 + length].decode()))
        return xid

    def _send(self, body):
        try:
            self.socket.sendall(struct.pack(">i", len(body)) + body)
        except OSError as error:
            raise Closed from error

    def _receive(self):
        return self._exactly(struct.unpack(">i", self._exactly(4))[0])

    def _exactly(self, count):
        got = b""
        while len(got) < count:
            try:
                more = self.socket.recv(count - len(got))
            except OSError as error:
                raise Closed from error
            if not more:
                raise Closed
            got += more
        return got


def _text(text):
    return struct.pack(">i", len(text)) + text.encode()


class Ensemble:
    def __init__(self, folder, tick_ms, init_limit=10, sync_limit=5, apart=False):
        self.folder, self.apart = folder, apart
        self.hosts = [Host(i, apart) for i in (1, 2, 3)]
        self.relay = Relay(self.hosts, [PEER_PORT, ELECTION_PORT]) if apart else None
        self.servers = {}
        shutil.rmtree(folder, ignore_errors=True)
        for host in self.hosts:
            own = self._own(host)
            os.makedirs(own + "/data")
            with open(own + "/data/myid", "w") as f:
                f.write(str(host.number))
            with open(own + "/log4j.properties", "w") as f:
                f.write(LOGGING)
            with open(own + "/zoo.cfg", "w") as f:
                f.write(f"tickTime={tick_ms}\ninitLimit={init_limit}\nsyncLimit={sync_limit}\n"
                        f"dataDir={own}/data\nclientPort={CLIENT_PORT}\nclientPortAddress={host.address}\n"
                        "admin.enableServer=false\n4lw.commands.whitelist=srvr\nautopurge.purgeInterval=0\n")
                for other in self.hosts:
                    f.write(f"server.{other.number}={other.address}:{PEER_PORT}:{ELECTION_PORT}\n")
            self.start(host)
        self.wait_for_all()
        session = self.session(self.hosts[0])
        session.create("/written")
        session.close()

    def _own(self, host):
        return f"{self.folder}/{host.number}"

    def start(self, host):
        own = self._own(host)
        self.servers[host.number] = start(
            ["java", "-Xmx128m", f"-Dlog4j.configuration=file:{own}/log4j.properties", "-cp", JAVA_PATH,
             "org.apache.zookeeper.server.quorum.QuorumPeerMain", own + "/zoo.cfg"], log=own + "/log", host=host)

    def role(self, host):
        """leader, follower, or nothing."""
        try:
            s = host.inside(socket.socket)
            s.settimeout(1)
            s.connect((host.address, CLIENT_PORT))
            s.sendall(b"srvr")
            answer = b""
            while more := s.recv(4096):
                answer += more
        except OSError:
            return ""
        finally:
            s.close()
        return answer.decode().rpartition("Mode: ")[2].split("\n")[0] if b"Mode: " in answer else ""

    def leader(self):
        return next((h for h in self.hosts if self.role(h) == "leader"), None)

    def wait_for_all(self, limit_s=60):
        until = time.monotonic() + limit_s
        while sorted(self.role(h) for h in self.hosts) != ["follower", "follower", "leader"]:
            if time.monotonic() > until:
                raise TimeoutError(f"no ensemble in {self.folder}")
            time.sleep(0.1)

    def session(self, host, timeout_ms=30_000):
        until = time.monotonic() + 10
        while True:
            try:
                return Session(host, timeout_ms)
            except Closed:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def end(self):
        for server in self.servers.values():
            end(server)
        if self.relay is not None:
            self.relay.end()
        for host in self.hosts:
            if host.holder is not None:
                end(host.holder)


def until_a_write(hosts, limit_s=60):
    """When one of them has taken a write of a session that began afterwards; they are tried in turn, 5 ms apart."""
    until, turn = time.monotonic() + limit_s, 0
    while time.monotonic() < until:
        try:
            session = Session(hosts[turn % len(hosts)], 30_000, patience_s=1.0)
            if session.write("/written") == 0:
                session.close()
                return time.monotonic()
        except Closed:
            pass
        turn += 1
        time.sleep(0.005)
    return None


def leader_killed(folder, tick_ms, runs):
    ensemble, times = Ensemble(folder, tick_ms), Times()
    for _ in range(runs):
        time.sleep(0.5 + random.random() * max(1, tick_ms / 1000))
        leader = ensemble.leader()
        others = [h for h in ensemble.hosts if h is not leader]
        began = time.monotonic()
        end(ensemble.servers[leader.number])
        log_line(ensemble._own(others[0]), f"leader {leader.number} killed")
        times.add(began, until_a_write(others))
        time.sleep(1)  # one that comes back into the middle of an election would change it
        ensemble.start(leader)
        ensemble.wait_for_all()
    ensemble.end()
    return times


def leader_isolated(folder, tick_ms, runs):
    ensemble, times = Ensemble(folder, tick_ms, apart=True), Times()
    for _ in range(runs):
        time.sleep(0.5 + random.random() * max(1, tick_ms / 1000))
        leader = ensemble.leader()
        others = [h for h in ensemble.hosts if h is not leader]
        began = time.monotonic()
        ensemble.relay.cut(leader)
        times.add(began, until_a_write(others))
        time.sleep(1)
        ensemble.relay.heal()
        ensemble.wait_for_all()
    ensemble.end()
    return times


def silent_sessions(folder, tick_ms, timeouts_ms, runs, ensembles=6):
    """Times by (timeout, whether the client's server leads).

    A leader's pings and ticks stand to each other as they began: several ensembles, lest they always stand alike.
    """
    times = {(t, on_leader): Times() for t in timeouts_ms for on_leader in (True, False)}
    for i in range(ensembles):
        ensemble = Ensemble(folder, tick_ms)
        time.sleep(random.random() * tick_ms / 1000)
        share = runs * (i + 1) // ensembles - runs * i // ensembles
        threads = [threading.Thread(target=_silent_sessions, args=(ensemble, t, share, on_leader, found))
                   for (t, on_leader), found in times.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ensemble.end()
    return times


def _silent_sessions(ensemble, timeout_ms, runs, on_leader, times):
    """Sessions that say something for the last time at drawn instants: from then until their nodes are deleted."""
    leader = ensemble.leader()
    server = leader if on_leader else next(h for h in ensemble.hosts if h is not leader)
    watcher, silent, since, found = ensemble.session(leader), {}, {}, 0
    for i in range(runs):
        path = f"/silent-{timeout_ms}-{on_leader}-{i}"
        silent[path] = ensemble.session(server, timeout_ms)
        silent[path].create(path, EPHEMERAL)
        watcher.watch(path)
    began = time.monotonic()
    last = {path: began + timeout_ms / 1000 + random.random() * timeout_ms / 1000 for path in silent}
    until = max(last.values()) + 2 * timeout_ms / 1000 + 10
    ping_at = 0
    while found < runs and time.monotonic() < until:
        event = watcher.wait_for_event(time.monotonic() + 0.002)
        if event is not None:
            times.add(since.get(event[1], last[event[1]]), event[0])
            found += 1
        now = time.monotonic()
        for path, session in silent.items():
            if now < last[path]:
                if now >= ping_at:
                    session.ping()
            elif path not in since:
                since[path] = time.monotonic()
                session.ping()
        if now >= ping_at:
            ping_at = now + timeout_ms / 5000
    for session in [*silent.values(), watcher]:
        session.close()


class JavaClient:
    """zkCli with one ephemeral node, and when it said what."""

    def __init__(self, folder, hosts, timeout_ms, path):
        with open(folder + "/client.properties", "w") as f:
            f.write(LOGGING.replace("INFO", "WARN"))
        servers = ",".join(f"{h.address}:{CLIENT_PORT}" for h in hosts)
        logging = f"-Dlog4j.configuration=file:{folder}/client.properties"
        self.process = start(["java", "-Xmx64m", logging, "-cp", JAVA_PATH, "org.apache.zookeeper.ZooKeeperMain",
                              "-timeout", str(timeout_ms), "-server", servers],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = []
        threading.Thread(target=self._listen, daemon=True).start()
        if self.wait_for("state:SyncConnected", 20) is None:
            raise TimeoutError("zkCli does not connect")
        self.process.stdin.write(f"create -e {path}\n".encode())
        self.process.stdin.flush()
        if self.wait_for("Created " + path, 10) is None:
            raise TimeoutError("zkCli does not create")

    def _listen(self):
        for line in self.process.stdout:
            self.said.append((time.monotonic(), line.decode(errors="replace")))

    def wait_for(self, text, limit_s):
        until = time.monotonic() + limit_s
        while True:
            for at, line in list(self.said):
                if text in line:
                    return at
            if time.monotonic() > until or self.process.poll() is not None:
                return None
            time.sleep(0.0005)


def java_client_stopped(ensemble, timeout_ms, runs):
    """Stopped between two of its pings: until its node is deleted; it goes on a second later: until it hears what."""
    deleted, disconnected, expired = Times(), Times(), Times()
    for i in range(runs):
        path = f"/stopped-{timeout_ms}-{i}"
        client = JavaClient(ensemble.folder, ensemble.hosts, timeout_ms, path)
        watcher = ensemble.session(ensemble.leader())
        watcher.watch(path)
        later(watcher, 1 + random.random() * timeout_ms / 3000)
        stopped = time.monotonic()
        os.killpg(client.process.pid, signal.SIGSTOP)
        event = watcher.wait_for_event(stopped + 10 + 2 * timeout_ms / 1000)
        deleted.add(stopped, event and event[0])
        time.sleep(1)
        goes_on = time.monotonic()
        os.killpg(client.process.pid, signal.SIGCONT)
        disconnected.add(goes_on, client.wait_for("state:Disconnected", 5))
        expired.add(goes_on, client.wait_for("state:Expired", 5))
        end(client.process)
        watcher.close()
    return deleted, disconnected, expired
