# kazoo's Lock, unmodified, as the lock of a scenario:
#
#   picklock run zookeeper_paused_holder --lock 'python3 kazoo_lock.py'
#
# A client machine has one session, which its threads share, as a service's process has.
import picklock
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import LockTimeout


class Lock:
    def __init__(self, run):
        hosts = ",".join("%s:%d" % server for server in run.servers)
        self.holds, self.run = set(), run
        self.zk = KazooClient(hosts=hosts, timeout=run.options["session"] / 1000)
        self.zk.add_listener(self.heard)
        self.zk.start(timeout=3600)

    def heard(self, state):
        if state == KazooState.LOST:
            for hold in list(self.holds):
                self.run.lost(hold)

    def acquire(self, call):
        lock = self.zk.Lock("/" + call.lock)
        try:
            lock.acquire(timeout=call.patience)
        except LockTimeout:
            return None
        self.holds.add(call.hold)
        return {"lock": lock, "value": lock.node, "hold": call.hold}

    def release(self, hold, call):
        self.holds.discard(hold["hold"])
        return hold["lock"].release()


picklock.serve(Lock, head={
    "summary": "kazoo's Lock",
    "source": "python-zk/kazoo, recipe/lock.py",
    "service": "zookeeper",
    "ownership": "znode-first",
    "lease": "session",
    "claims": {"renewing": True, "loss_notification": True},
    "options": {"session": {"default": "4s", "help": "session timeout that the client asks for"}},
    "assumptions": {
        "pauses-shorter-than": "session",
        "delays-shorter-than": "session",
    },
})
