# A lock of your own in Python: one key of Redis, by redis-py. Put your library in the place of these lines.
#
#   picklock run paused_holder --lock 'python3 own_lock.py'
#   picklock hunt --lock 'python3 own_lock.py'
import time
import uuid

import picklock
import redis

RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


class OwnLock:
    def __init__(self, run):
        host, port = run.servers[0]
        self.redis = redis.Redis(host=host, port=port, socket_timeout=1)
        self.ttl = run.options["ttl"]

    def acquire(self, call):
        value = uuid.uuid4().hex
        end = None if call.patience is None else time.monotonic() + call.patience
        while not self.redis.set(call.lock, value, nx=True, px=self.ttl):
            if end is not None and time.monotonic() >= end:
                return None  # refused
            time.sleep(0.01)
        return {"value": value}

    def release(self, hold, call):
        return self.redis.eval(RELEASE, 1, call.lock, hold["value"]) == 1


picklock.serve(OwnLock, {
    "summary": "one key of Redis, with a time to live",
    "service": "redis",
    "lease": "ttl",
    "options": {"ttl": {"default": "10s", "help": "time to live of the key"}},
    # Conditions under which it claims to exclude others; picklock tells which of them a run has broken.
    "assumptions": {
        "holds-shorter-than": "ttl",
        "pauses-shorter-than": "ttl",
        "delays-shorter-than": "ttl",
        "beliefs-shorter-than": "ttl",
    },
})
