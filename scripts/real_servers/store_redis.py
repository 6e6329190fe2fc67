"""Random commands for a Redis server and for the simulated one, and their answers side by side.

Left out: DBSIZE, which counts expired keys until the active cycle has come by.
"""
import hashlib
import random
import socket
import subprocess
import time

from real_servers.processes import end, start

PORT = 16379
KEYS = ["a", "b", "c", "d", "e", "f"]
WORDS = ["x", "y", "zz", "", "17", "-3", "9223372036854775807", "3.5", "not a number", "1e3"]
FIELDS = ["f", "g", "h"]
FAR_MS = 10_000_000  # a deadline that no run reaches; answers may differ by as long as a command takes
SLACK_MS = 500
LOOK = 2  # the session that looks, beside 0 and 1, which are in transactions or not


def _number(r):
    return str(r.choice([0, 1, -1, 2, 5, -7, 100]))


def _ttl_ms(r):
    """Far away, past, or over before the next batch begins."""
    return str(r.choice([FAR_MS + r.randrange(1000), FAR_MS, 0, -5, 1, 2, "soon"]))


def _ttl_s(r):
    return str(r.choice([FAR_MS // 1000 + r.randrange(100), 0, -1, "1.5"]))


def _key(r):
    return r.choice(KEYS)


def _set(r):
    words = ["SET", _key(r), r.choice(WORDS)]
    options = [["NX"], ["XX"], ["GET"], ["KEEPTTL"], ["PX", _ttl_ms(r)], ["EX", _ttl_s(r)], ["PXAT", "99999999999999"],
               ["EXAT", "99999999999"], ["BAD"]]
    for option in r.sample(options, r.choice([0, 0, 1, 1, 2, 3])):
        words += option
    return words


TEXTS = ["return redis.call('GET', KEYS[1])", "return redis.call('SET', KEYS[1], ARGV[1])", "return (", "return {KEYS[1], ARGV[1]}"]


def _sha1(r):
    """The digest of a text, in either case; or none."""
    digest = hashlib.sha1(r.choice(TEXTS).encode()).hexdigest()
    return r.choice([digest, digest, digest, digest.upper(), digest[1:], "x" * 40])


def _pairs(r):
    """Keys and values; now and then a value is missing."""
    words = [word for _ in range(r.randrange(1, 4)) for word in (_key(r), r.choice(WORDS))]
    return words[:-1] if r.randrange(8) == 0 else words


COMMANDS = [
    (10, _set),
    (4, lambda r: ["GET", _key(r)]),
    (2, lambda r: ["SETNX", _key(r), r.choice(WORDS)]),
    (2, lambda r: ["GETSET", _key(r), r.choice(WORDS)]),
    (1, lambda r: ["GETDEL", _key(r)]),
    (1, lambda r: ["APPEND", _key(r), r.choice(WORDS)]),
    (1, lambda r: ["STRLEN", _key(r)]),
    (1, lambda r: ["SETRANGE", _key(r), str(r.choice([0, 1, 5, -1])), r.choice(WORDS)]),
    (1, lambda r: ["SETEX", _key(r), _ttl_s(r), r.choice(WORDS)]),
    (1, lambda r: ["PSETEX", _key(r), _ttl_ms(r), r.choice(WORDS)]),
    (3, lambda r: ["DEL"] + [_key(r) for _ in range(r.randrange(1, 3))]),
    (1, lambda r: ["UNLINK", _key(r)]),
    (2, lambda r: ["EXISTS"] + [_key(r) for _ in range(r.randrange(1, 3))]),
    (1, lambda r: ["TYPE", _key(r)]),
    (1, lambda r: ["RENAME", _key(r), _key(r)]),
    (1, lambda r: ["COPY", _key(r), _key(r)] + r.choice([[], ["REPLACE"]])),
    (1, lambda r: ["PERSIST", _key(r)]),
    (2, lambda r: [r.choice(["PEXPIRE"]), _key(r), _ttl_ms(r)] + r.choice([[], [], ["NX"], ["XX"], ["GT"], ["LT"], ["NX", "GT"]])),
    (1, lambda r: ["EXPIRE", _key(r), _ttl_s(r)] + r.choice([[], ["NX"], ["GT"], ["WHAT"]])),
    (1, lambda r: ["PEXPIREAT", _key(r), r.choice(["99999999999999", "1"])]),
    (1, lambda r: ["EXPIREAT", _key(r), r.choice(["99999999999", "1"])]),
    (2, lambda r: [r.choice(["PTTL", "TTL", "PEXPIRETIME", "EXPIRETIME"]), _key(r)]),
    (1, lambda r: [r.choice(["INCR", "DECR"]), _key(r)]),
    (1, lambda r: [r.choice(["INCRBY", "DECRBY"]), _key(r), r.choice([_number(r), "9223372036854775807", "x"])]),
    (3, lambda r: ["HSET", _key(r), r.choice(FIELDS), r.choice(WORDS)] + r.choice([[], [], [r.choice(FIELDS), "v"], ["odd"]])),
    (1, lambda r: ["HSETNX", _key(r), r.choice(FIELDS), r.choice(WORDS)]),
    (1, lambda r: ["HGET", _key(r), r.choice(FIELDS)]),
    (1, lambda r: ["HDEL", _key(r), r.choice(FIELDS)]),
    (1, lambda r: ["HEXISTS", _key(r), r.choice(FIELDS)]),
    (1, lambda r: ["HLEN", _key(r)]),
    (1, lambda r: [r.choice(["HGETALL", "HKEYS", "HVALS"]), _key(r)]),
    (1, lambda r: ["HINCRBY", _key(r), r.choice(FIELDS), r.choice([_number(r), "x", "9223372036854775807"])]),
    (2, lambda r: [r.choice(["LPUSH", "RPUSH"]), _key(r)] + [r.choice(WORDS) for _ in range(r.randrange(1, 4))]),
    (1, lambda r: [r.choice(["LPOP", "RPOP"]), _key(r)] + r.choice([[], [], ["2"], ["0"], ["-1"]])),
    (1, lambda r: ["LRANGE", _key(r), _number(r), _number(r)]),
    (1, lambda r: ["LREM", _key(r), _number(r), r.choice(WORDS)]),
    (1, lambda r: ["LINDEX", _key(r), _number(r)]),
    (1, lambda r: ["LLEN", _key(r)]),
    (2, lambda r: ["ZADD", _key(r)] + r.choice([[], [], ["NX"], ["XX"], ["CH"], ["GT"], ["INCR"], ["NX", "XX"]])
     + [r.choice(["1", "-2", "1.5", "inf", "nan", "x"]), r.choice(FIELDS)]),
    (1, lambda r: ["ZREM", _key(r), r.choice(FIELDS)]),
    (1, lambda r: ["ZSCORE", _key(r), r.choice(FIELDS)]),
    (1, lambda r: ["ZCARD", _key(r)]),
    (1, lambda r: ["ZRANK", _key(r), r.choice(FIELDS)]),
    (1, lambda r: ["ZINCRBY", _key(r), r.choice(["1", "-0.5", "x"]), r.choice(FIELDS)]),
    (1, lambda r: ["ZRANGE", _key(r), _number(r), _number(r)] + r.choice([[], ["WITHSCORES"], ["REV"]])),
    (1, lambda r: ["ZRANGEBYSCORE", _key(r), r.choice(["-inf", "(1", "0"]), r.choice(["+inf", "2", "(2"])]
     + r.choice([[], ["WITHSCORES"], ["LIMIT", "0", "1"]])),
    (1, lambda r: ["ZCOUNT", _key(r), r.choice(["-inf", "(1", "0", "x"]), r.choice(["+inf", "2", "(2"])]),
    (1, lambda r: [r.choice(["ZREVRANGE", "ZREMRANGEBYRANK"]), _key(r), _number(r), _number(r)]),
    (1, lambda r: ["ZREMRANGEBYSCORE", _key(r), r.choice(["-inf", "(1", "0", "x"]), r.choice(["+inf", "2", "(2"])]),
    (1, lambda r: ["ZREVRANGEBYSCORE", _key(r), r.choice(["+inf", "2", "(2"]), r.choice(["-inf", "(1", "0"])]
     + r.choice([[], ["WITHSCORES"], ["LIMIT", "1", "1"]])),
    (1, lambda r: ["ZPOPMIN", _key(r)] + r.choice([[], ["2"], ["0"], ["-1"], ["x"]])),
    (3, lambda r: ["SADD", _key(r)] + [r.choice(FIELDS) for _ in range(r.randrange(1, 4))]),
    (1, lambda r: ["SREM", _key(r), r.choice(FIELDS)]),
    (1, lambda r: ["SISMEMBER", _key(r), r.choice(FIELDS)]),
    (1, lambda r: [r.choice(["SMEMBERS", "SCARD"]), _key(r)]),
    (1, lambda r: ["HMSET", _key(r), r.choice(FIELDS), r.choice(WORDS)] + r.choice([[], ["odd"]])),
    (1, lambda r: ["HMGET", _key(r)] + [r.choice(FIELDS) for _ in range(r.randrange(1, 4))]),
    (1, lambda r: ["MGET"] + [_key(r) for _ in range(r.randrange(1, 4))]),
    (1, lambda r: [r.choice(["MSET", "MSETNX"])] + _pairs(r)),
    (1, lambda r: ["GETEX", _key(r)] + r.choice([[], ["PERSIST"], ["PX", str(FAR_MS)], ["EX", "0"], ["PXAT", "1"], ["BAD"], ["PX"]])),
    (1, lambda r: ["KEYS", r.choice(["*", "?", "[a-c]", "[^a]", "a*", "\\a", "[", "z"])]),
    (1, lambda r: ["TOUCH", _key(r), _key(r)]),
    (1, lambda r: ["SCRIPT", "LOAD", r.choice(TEXTS)]),
    (1, lambda r: ["SCRIPT", "EXISTS", _sha1(r), _sha1(r)]),
    (1, lambda r: ["SCRIPT"] + r.choice([["FLUSH"], ["FLUSH", "ASYNC"], ["FLUSH", "now"], ["KILL"], ["LOAD"], ["what"]])),
    (3, lambda r: [r.choice(["EVALSHA", "EVALSHA_RO"]), _sha1(r), r.choice(["1", "1", "0", "3", "x"]), _key(r), r.choice(WORDS)]),
    (1, lambda r: [r.choice(["EVAL", "EVAL_RO"]), r.choice(TEXTS), "1", _key(r), r.choice(WORDS)]),
    (2, lambda r: ["MULTI"]),
    (3, lambda r: ["EXEC"]),
    (1, lambda r: ["DISCARD"]),
    (2, lambda r: ["WATCH", _key(r)]),
    (1, lambda r: ["UNWATCH"]),
    (1, lambda r: ["ECHO", r.choice(WORDS)]),
    (1, lambda r: ["EVAL", "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end",
                   "1", _key(r), r.choice(WORDS)]),
    (1, lambda r: r.choice([["NONESUCH"], ["GET"], ["SET", "a"], ["HSET", "a", "f"], ["EXEC", "now"]])),
]
_WEIGHTS = [weight for weight, _ in COMMANDS]
_MAKERS = [make for _, make in COMMANDS]


def ends_batch(words):
    """Whether a deadline of a millisecond may have been set: nothing more is asked until it has passed, for both."""
    return words[0] == "EXEC" or words[0] in ("SET", "PSETEX", "PEXPIRE") and ("1" in words[2:] or "2" in words[2:])


class Resp:
    """Answers of RESP 2 as values that can be compared."""

    def __init__(self, stream):
        self.stream = stream

    def read(self):
        line = self.stream.readline()
        if not line:
            raise ConnectionError("closed")
        kind, text = line[:1], line[1:-2]
        if kind == b":":
            return int(text)
        if kind == b"+":
            return "+" + text.decode()
        if kind == b"-":
            return "-" + text.decode()
        if kind == b"$":
            return None if text == b"-1" else self.stream.read(int(text) + 2)[:-2]
        return None if text == b"-1" else [self.read() for _ in range(int(text))]


class Real:
    def __init__(self, folder):
        self.process = start(["redis-server", "--port", str(PORT), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                              "--dir", folder], log=f"{folder}/redis.log")
        self.sockets, self.replies = [], []
        until = time.monotonic() + 10
        while len(self.sockets) <= LOOK:
            try:
                s = socket.create_connection(("127.0.0.1", PORT))
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
                continue
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sockets.append(s)
            self.replies.append(Resp(s.makefile("rb")))

    def ask(self, session, commands):
        packed = bytearray()
        for words in commands:
            packed += b"*%d\r\n" % len(words)
            for w in words:
                b = w.encode()
                packed += b"$%d\r\n%s\r\n" % (len(b), b)
        self.sockets[session].sendall(packed)
        return [self.replies[session].read() for _ in commands]

    def end(self):
        end(self.process)


class Simulated:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "redis"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.replies = Resp(self.process.stdout)

    def ask(self, session, commands):
        now = int(time.time() * 1000)
        packed = bytearray()
        for words in commands + [["SYNC-OUTPUT"]]:
            packed += b"%d %d %d\n" % (now, session, len(words))
            for w in words:
                b = w.encode()
                packed += b"%d\n%s\n" % (len(b), b)
        self.process.stdin.write(packed)
        self.process.stdin.flush()
        return [self.replies.read() for _ in commands]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def same(words, real, here, queued=()):
    """Equal; or deadlines that differ by as long as the commands took, or sets in another order.

    queued: the commands of the transaction, if words are EXEC. Its clock stands still for all but PTTL.
    """
    if real == here:
        return True
    if words[0] == "PTTL" and isinstance(real, int) and isinstance(here, int) and 0 <= real <= here <= 2:
        return True
    if isinstance(real, int) and isinstance(here, int):
        return abs(real) > 1000 and abs(real - here) <= SLACK_MS and real < 10 ** 15
    if isinstance(real, list) and isinstance(here, list) and len(real) == len(here):
        if words[0] in ("HKEYS", "HVALS", "SMEMBERS", "KEYS"):
            return sorted(real) == sorted(here)
        if words[0] == "HGETALL":
            pairs = lambda all: sorted(zip(all[::2], all[1::2]))
            return pairs(real) == pairs(here)
        if words[0] == "EXEC":
            return len(real) == len(queued) and all(same(*one) for one in zip(queued, real, here))
    return False


def only_deadlines_differ(words, real, here, queued):
    """Whether commands alone differ that compare a new deadline with the old one: a millisecond between the servers decides them."""
    pairs = [(words, real, here)]
    if words[0] == "EXEC" and isinstance(real, list) and isinstance(here, list) and len(real) == len(here) == len(queued):
        pairs = zip(queued, real, here)
    return all(one[0] in ("PEXPIRE", "EXPIRE") and {"GT", "LT"} & set(one[3:]) for one, a, b in pairs if not same(one, a, b))


def agree_on_deadlines(real, here):
    look = [["PEXPIRETIME", key] for key in KEYS]
    return all(same(words, a, b) for words, a, b in zip(look, real.ask(LOOK, look), here.ask(LOOK, look)))


def compare(folder, program, requests, seed, report):
    """Asks both; calls report(request, real, here) for each difference. The number of requests."""
    r = random.Random(seed)
    real, here = Real(folder), Simulated(program)
    queued = [[], []]  # by session: the commands since MULTI
    done = 0
    try:
        while done < requests:
            session = r.randrange(2)
            commands = []
            for _ in range(min(r.randrange(1, 60), requests - done)):
                commands.append(r.choices(_MAKERS, _WEIGHTS)[0](r))
                if ends_batch(commands[-1]):
                    break
            for words, a, b in zip(commands, real.ask(session, commands), here.ask(session, commands)):
                if words[0] == "MULTI" and a == "+OK":
                    queued[session] = []
                elif a == "+QUEUED":
                    queued[session].append(words)
                if not same(words, a, b, queued[session]):
                    if only_deadlines_differ(words, a, b, queued[session]) and agree_on_deadlines(real, here):
                        continue
                    of = f" of {queued[session]}" if words[0] == "EXEC" else ""
                    report(f"{words}{of}", a, b)
            done += len(commands)
            if ends_batch(commands[-1]):
                time.sleep(0.004)
    finally:
        real.end()
        here.end()
    return done
