"""A lock library of your own in picklock: picklock.serve(Lock, head={...}).

    import picklock, redis

    class Lock:
        def __init__(self, run):                      # once for each run: run.servers, run.options, run.seed, run.lost(hold),
                                                      # run.replicas, run.sentinels, run.nodes (of a cluster)
            host, port = run.servers[0]
            self.redis = redis.Redis(host=host, port=port)
        def acquire(self, call):                      # call.lock, call.hold, call.thread, call.patience: seconds, None: no limit
            ...                                       # a dictionary (value, token, deadline: all optional), or None: refused
        def release(self, hold, call): ...            # hold: what acquire gave. False: it was no longer ours
        def extend(self, hold, call): ...             # a dictionary, or False

    picklock.serve(Lock, head={"service": "redis", "lease": "ttl", "options": {"ttl": "100ms"}})

All calls of one client thread are made in one thread of this program. Methods may be coroutines: then the object is made, and all
calls run, in one event loop. An error that acquire, release or extend raise means that the outcome is unknown, unless the head
names its class, or a class that it is derived from, in `refused`.
"""
import asyncio
import ctypes
import gc
import inspect
import json
import os
import queue
import random
import socket
import sys
import threading

VERSION = 1


class Record:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def _in_virtual_time(function, *arguments):
    """Calls a function of the library that was loaded before this program, if it was."""
    try:
        return getattr(ctypes.CDLL(None), function)(*arguments)
    except AttributeError:
        return None


def _told(given):
    """The parts of a hold that picklock knows; the others stay here."""
    if not isinstance(given, dict):
        return {}
    told = {key: given[key] for key in ("value", "token", "deadline") if given.get(key) is not None}
    if isinstance(told.get("value"), bytes):
        told["value"] = told["value"].decode("latin-1")
    return told


class _Player:
    """Plays one run: the user's object, and its answers to calls."""

    def __init__(self, make, request, say):
        self.say, self.holds = say, {}
        addresses = {kind: [tuple(a) for a in request.get(kind, [])] for kind in ("servers", "replicas", "sentinels", "nodes")}
        self.run = Record(**addresses, options=request["options"], seed=request["seed"], lost=lambda hold: say({"lost": hold}))
        self.make = make

    def method_of(self, request):
        """The method that the request asks for, and its arguments. A lock that cannot extend refuses to."""
        call = Record(lock=request["lock"], hold=request["hold"], thread=request["thread"],
                      patience=None if request.get("patience") is None else request["patience"] / 1000)
        held = [] if request["op"] == "acquire" else [self.holds.get(request["hold"])]
        return getattr(self.lock, request["op"], lambda *_: False), [*held, call]

    def answer(self, request, given):
        if given is False or (given is None and request["op"] == "acquire"):
            return self.say({"id": request["id"], "no": True})
        if request["op"] == "acquire":
            self.holds[request["hold"]] = given
        self.say({"id": request["id"], "ok": _told(given)})

    def answer_error(self, request, error):
        classes = [c.__name__ for c in type(error).__mro__ if issubclass(c, Exception)]
        self.say({"id": request["id"], "raise": type(error).__name__, "is": classes, "text": str(error)})


class _Threads(_Player):
    """Calls of each client thread run in a thread of their own."""

    def __init__(self, make, request, say):
        super().__init__(make, request, say)
        self.queues = {}
        self.lock = make(self.run)

    def give(self, request):
        thread = request["thread"]
        if thread not in self.queues:
            self.queues[thread] = queue.SimpleQueue()
            threading.Thread(target=self.work, args=(self.queues[thread],), daemon=True).start()
        self.queues[thread].put(request)

    def work(self, requests):
        while True:
            request = requests.get()
            try:
                method, arguments = self.method_of(request)
                self.answer(request, method(*arguments))
            except Exception as error:  # whatever the library raises is its answer
                self.answer_error(request, error)


class _Loop(_Player):
    """Calls are coroutines of one event loop."""

    def __init__(self, make, request, say):
        super().__init__(make, request, say)
        self.loop = asyncio.new_event_loop()
        self.tasks = set()
        threading.Thread(target=self.live, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self.begin(), self.loop).result()

    def live(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def begin(self):
        made = self.make(self.run)
        self.lock = await made if inspect.isawaitable(made) else made

    def give(self, request):
        self.loop.call_soon_threadsafe(lambda: self.tasks.add(self.loop.create_task(self.work(request))))

    async def work(self, request):
        try:
            method, arguments = self.method_of(request)
            given = method(*arguments)
            self.answer(request, await given if inspect.isawaitable(given) else given)
        except Exception as error:
            self.answer_error(request, error)


class _Server:
    def __init__(self, make, head):
        self.make, self.head, self.player = make, head, None
        self.control = socket.create_connection(("127.0.0.1", int(os.environ["PICKLOCK_CONTROL"])))
        self.control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.writing = threading.Lock()

    def say(self, message):
        with self.writing:
            self.control.sendall(json.dumps(message).encode() + b"\n")

    def serve(self):
        self.say({"picklock": VERSION, "head": self.head, "forks": True})
        for line in self.control.makefile("rb"):
            request = json.loads(line)
            if request["op"] == "fork":
                self.fork(request)
            elif request["op"] == "exit":
                os._exit(0)
            elif request["op"] == "run":
                self.begin(request)
            else:
                self.player.give(request)

    def fork(self, request):
        """The child plays one run; this process waits for its end, and is as it was."""
        gc.freeze()  # what is there already is not looked through in each run, which would copy its pages
        _in_virtual_time("picklock_allow_fork")
        child = os.fork()
        if child == 0:
            self.say({"id": request["id"], "ok": "forked"})
        else:
            self.say({"back": os.waitpid(child, 0)[1]})

    def begin(self, request):
        random.seed(request["seed"])
        _in_virtual_time("picklock_seed", ctypes.c_uint64(request["seed"]))
        is_loop = inspect.iscoroutinefunction(self.make) or inspect.iscoroutinefunction(getattr(self.make, "acquire", None))
        self.player = (_Loop if is_loop else _Threads)(self.make, request, self.say)


def serve(make, head=None):
    """Plays the part of a client's lock until picklock ends this process. `make(run)` gives an object with acquire and release."""
    if "PICKLOCK_CONTROL" not in os.environ:
        raise SystemExit("this program is a lock; try: picklock run paused_holder --lock 'python3 %s'" % sys.argv[0])
    global _server
    _server = _Server(make, head or {})
    _server.serve()
