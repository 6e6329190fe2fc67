# redis-py's Lock on a Redis cluster, unmodified, as the lock of a scenario:
#
#   picklock run cluster_failover_loses_the_lock --lock 'python3 redis_py_cluster.py'
import picklock
from redis.cluster import ClusterNode, RedisCluster


class Lock:
    def __init__(self, run):
        nodes = [ClusterNode(*node) for node in run.nodes]
        self.redis = RedisCluster(startup_nodes=nodes, socket_timeout=run.options["timeout"] / 1000)
        self.ttl, self.sleep = run.options["ttl"] / 1000, run.options["sleep"] / 1000

    def acquire(self, call):
        lock = self.redis.lock(call.lock, timeout=self.ttl, sleep=self.sleep, blocking_timeout=call.patience)
        return {"lock": lock, "value": lock.local.token} if lock.acquire() else None

    def release(self, hold, call):
        hold["lock"].release()

    def extend(self, hold, call):
        hold["lock"].reacquire()


picklock.serve(Lock, head={
    "summary": "redis-py's Lock on a Redis cluster",
    "source": "redis-py",
    "service": "redis",
    "lease": "ttl",
    "options": {
        "ttl": {"default": "10s", "help": "timeout that the caller gives the lock"},
        "timeout": {"default": "1s", "help": "socket_timeout of the client"},
        "sleep": {"default": "100ms", "help": "pause between two attempts"},
    },
    "assumptions": {
        "holds-shorter-than": "ttl",
        "pauses-shorter-than": "ttl",
        "delays-shorter-than": "ttl",
        "beliefs-shorter-than": "ttl",
    },
    "refused": ["LockError"],
})
