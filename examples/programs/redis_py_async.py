# redis-py's Lock of asyncio, unmodified, as the lock of a scenario:
#
#   picklock run paused_holder --lock 'python3 redis_py_async.py'
import picklock
import redis.asyncio as redis


class Lock:
    def __init__(self, run):
        host, port = run.servers[0]
        self.redis = redis.Redis(host=host, port=port)
        self.ttl = run.options["ttl"] / 1000

    async def acquire(self, call):
        lock = self.redis.lock(call.lock, timeout=self.ttl, sleep=0.01, blocking_timeout=call.patience, thread_local=False)
        return {"lock": lock, "value": lock.local.token} if await lock.acquire() else None

    async def release(self, hold, call):
        await hold["lock"].release()

    async def extend(self, hold, call):
        await hold["lock"].reacquire()


picklock.serve(Lock, head={
    "summary": "redis-py's Lock of asyncio",
    "source": "redis-py",
    "service": "redis",
    "lease": "ttl",
    "options": {"ttl": {"default": "10s", "help": "timeout that the caller gives the lock"}},
    "assumptions": {
        "holds-shorter-than": "ttl",
        "pauses-shorter-than": "ttl",
        "delays-shorter-than": "ttl",
        "beliefs-shorter-than": "ttl",
    },
    "refused": ["LockError"],
})
