"""The network between hosts that have each a namespace of their own: carries bytes across, unless a host is cut off.

What is sent behind a cut waits, as does a new connection; it arrives when the cut is healed.  Where no server listens,
this side does not listen either: a connection must be refused, not accepted and then lost.
"""
import os
import selectors
import signal
import socket
import struct
import time

from real_servers.processes import prefer


class Relay:
    """ports: of every host, those on which the others may reach it."""

    def __init__(self, hosts, ports):
        self._tell, ours = socket.socketpair()
        ways = [(here, there, port) for here in hosts for there in hosts if here is not there for port in ports]
        self.pid = os.fork()
        if self.pid == 0:
            try:
                signal.alarm(0)
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, signal.SIG_DFL)
                self._tell.close()
                prefer(2)  # before the servers: a busy one should not delay what others say
                _Carrier(ways, ours).run()
            finally:
                os._exit(0)
        ours.close()

    def cut(self, host):
        self._say(host.number)

    def heal(self):
        self._say(0)

    def _say(self, number):
        self._tell.send(struct.pack("b", number))
        self._tell.recv(1)  # done

    def end(self):
        self._tell.close()  # the carrier leaves when nobody talks to it
        os.waitpid(self.pid, 0)


def _listen(address, port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    s.listen(64)
    s.setblocking(False)
    return s


_LISTENS = "0A"


def _listened(host):
    """The ports on which somebody listens at this host."""
    ports = set()
    for family in ("tcp", "tcp6"):
        with open(f"/proc/{host.holder.pid}/net/{family}") as table:
            next(table)
            for line in table:  # those who listen come first, before thousands that are in TIME_WAIT
                fields = line.split()
                if fields[3] != _LISTENS:
                    break
                ports.add((fields[1].rpartition(":")[0], int(fields[1].rpartition(":")[2], 16)))
    own = socket.inet_aton(host.address)[::-1].hex().upper()
    return {port for address, port in ports if address.endswith(own) or int(address, 16) == 0}


class _Pair:
    """Two sockets, of the opener's host and of the other; what one has sent and the other has not taken so far."""

    def __init__(self, ends, hosts):
        self.ends, self.hosts = ends, hosts
        self.waiting = {ends[0]: b"", ends[1]: b""}  # for this end

    def other(self, end):
        return self.ends[1] if end is self.ends[0] else self.ends[0]


class _Carrier:
    LOOK_S = 0.003  # how often it looks who listens

    def __init__(self, ways, orders):
        self.selector = selectors.DefaultSelector()
        self.cut = 0
        self.pairs = set()
        self.held = []  # connections that have not been carried across so far
        self.ways, self.listeners, self.look_at = ways, {}, 0
        self.orders = orders
        self.selector.register(orders, selectors.EVENT_READ, None)

    def run(self):
        while True:
            if time.monotonic() >= self.look_at:
                self.look()
                self.look_at = time.monotonic() + self.LOOK_S
            for key, events in self.selector.select(self.LOOK_S):
                if key.fileobj is self.orders:
                    order = self.orders.recv(1)
                    if not order:
                        return
                    self.obey(struct.unpack("b", order)[0])
                elif isinstance(key.data, tuple) and key.data in self.listeners:
                    self.accept(key.fileobj, *key.data)
                elif key.data in self.pairs:
                    self.carry(key.data, key.fileobj, events)

    def look(self):
        ports = {there: _listened(there) for there in {w[1] for w in self.ways}}
        for way in self.ways:
            here, there, port = way
            wanted = port in ports[there] or self.apart(way)
            if wanted and way not in self.listeners:
                self.listeners[way] = here.inside(lambda: _listen(there.address, port))
                self.selector.register(self.listeners[way], selectors.EVENT_READ, way)
            elif not wanted and way in self.listeners:
                listener = self.listeners.pop(way)
                self.selector.unregister(listener)
                listener.close()

    def apart(self, hosts):
        return self.cut in (hosts[0].number, hosts[1].number)

    def obey(self, number):
        self.cut = number
        self.look()
        held, self.held = self.held, []
        for connection in held:
            self.connect(*connection)
        for pair in self.pairs:
            self.watch(pair)
        self.orders.send(b"+")

    def accept(self, listener, here, there, port):
        try:
            self.connect(listener.accept()[0], here, there, port)
        except OSError:
            pass  # the caller has gone already

    def connect(self, opener, here, there, port):
        if self.apart((here, there)):
            self.held.append((opener, here, there, port))
            return
        try:
            other = there.inside(socket.socket)
            other.connect((there.address, port))
        except OSError:  # no server listens
            opener.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            opener.close()
            other.close()
            return
        pair = _Pair((opener, other), (here, there))
        for end in pair.ends:
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pairs.add(pair)
        self.watch(pair)

    def watch(self, pair):
        for end in pair.ends:
            wanted = 0
            if not self.apart(pair.hosts):
                wanted |= selectors.EVENT_WRITE if pair.waiting[end] else 0
                wanted |= selectors.EVENT_READ if not pair.waiting[pair.other(end)] else 0
            known = end in self.selector.get_map()
            if wanted and known:
                self.selector.modify(end, wanted, pair)
            elif wanted:
                self.selector.register(end, wanted, pair)
            elif known:
                self.selector.unregister(end)

    def carry(self, pair, end, events):
        other = pair.other(end)
        try:
            if events & selectors.EVENT_READ:
                got = end.recv(65536)
                if not got:
                    return self.close(pair)
                pair.waiting[other] += got
                end = other
            if pair.waiting[end]:
                pair.waiting[end] = pair.waiting[end][end.send(pair.waiting[end]):]
        except BlockingIOError:
            pass
        except OSError:
            return self.close(pair)
        self.watch(pair)

    def close(self, pair):
        self.pairs.discard(pair)
        for end in pair.ends:
            if end in self.selector.get_map():
                self.selector.unregister(end)
            end.close()
