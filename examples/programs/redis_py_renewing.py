# redis-py's Lock with a thread that renews it, as its users write one:
#
#   picklock run paused_holder --lock 'python3 redis_py_renewing.py'
import threading

import picklock
import redis


class Lock:
    def __init__(self, run):
        host, port = run.servers[0]
        self.redis, self.lost = redis.Redis(host=host, port=port), run.lost
        self.ttl = run.options["ttl"] / 1000

    def acquire(self, call):
        lock = self.redis.lock(call.lock, timeout=self.ttl, sleep=0.01, blocking_timeout=call.patience, thread_local=False)
        if not lock.acquire():
            return None
        over = threading.Event()
        threading.Thread(target=self.renew, args=(lock, over, call.hold), daemon=True).start()
        return {"lock": lock, "over": over, "value": lock.local.token}

    def renew(self, lock, over, hold):
        while not over.wait(self.ttl / 3):
            try:
                lock.reacquire()
            except redis.exceptions.LockError:
                return self.lost(hold)
            except redis.exceptions.ConnectionError:
                pass  # the next time

    def release(self, hold, call):
        hold["over"].set()
        hold["lock"].release()


picklock.serve(Lock, head={
    "summary": "redis-py's Lock, renewed by a thread",
    "source": "redis-py",
    "service": "redis",
    "lease": "ttl",
    "options": {"ttl": {"default": "10s", "help": "timeout that the caller gives the lock"}},
    "claims": {"renewing": True, "loss_notification": True},
    "assumptions": {"pauses-shorter-than": "ttl", "delays-shorter-than": "ttl", "beliefs-shorter-than": "ttl"},
    "refused": ["LockError"],
})
