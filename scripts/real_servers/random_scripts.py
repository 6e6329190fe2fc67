"""Random Redis scripts, and random states and arguments for given ones."""
import re

OWNERS = [b"v", b"w", b"x"]
FIELDS = OWNERS + [b"mode", b"f"]
NUMBERS = [b"1", b"2", b"30", b"1000", b"-1", b"0"]
TIMES = [b"1", b"40", b"500", b"30000"]


def state(draw, key, kind):
    """Commands that give an absent key a value of this kind, perhaps with a deadline."""
    commands = {
        "none": [],
        "number": [[b"SET", key, draw.choice(NUMBERS)]],
        "string": [[b"SET", key, draw.choice(OWNERS + [b"1", b""])]],
        "hash": [[b"HSET", key] + [w for f in draw.sample(FIELDS, draw.randint(1, 3)) for w in (f, _content(draw, f))]],
        "list": [[b"RPUSH", key] + [draw.choice(OWNERS) for _ in range(draw.randint(1, 4))]],
        "zset": [[b"ZADD", key] + [w for m in draw.sample(OWNERS, draw.randint(1, 3))
                                   for w in (draw.choice([b"5", b"999990", b"1000010", b"1003000"]), m)]],
    }[kind]
    if commands and draw.random() < 0.4:
        commands.append([b"PEXPIRE", key, draw.choice(TIMES)])
    return commands


def _content(draw, field):
    return draw.choice([b"read", b"write"]) if field == b"mode" else draw.choice([b"1", b"1", b"2", b"3"])


# --- scripts of locks: what they expect of their keys and arguments

_KINDS = {"hash": "HEXISTS HSET HGET HINCRBY HDEL HLEN HKEYS HGETALL HSETNX", "list": "LINDEX LPOP RPUSH LRANGE LREM LLEN LPUSH",
          "zset": "ZADD ZSCORE ZREM ZRANGE ZINCRBY ZCARD ZRANGEBYSCORE", "number": "INCR INCRBY DECR DECRBY"}


class Wants:
    def __init__(self, text):
        self.text = text
        count = max([int(n) for n in re.findall(r"KEYS\[(\d)\]", text)] or [1])
        self.loops = "#KEYS" in text and "KEYS[1]" not in text  # over keys that are alike
        if self.loops:
            count = 4
        self.kinds = [self._kind(i) for i in range(1, count + 1)]
        self.values = [self._values(i) for i in range(1, max([int(n) for n in re.findall(r"ARGV\[(\d)\]", text)] or [0]) + 1)]

    def _kind(self, number):
        if re.search(rf"earlier = .*redis.call\('GET', KEYS\[{number}\]\)", self.text):
            return "number"  # an answer that is repeated
        for kind, commands in _KINDS.items():
            key = "KEYS\\[i\\]" if self.loops else rf"KEYS\[{number}\]"
            if re.search(rf"'(?i:{commands.replace(' ', '|')})', {key}", self.text):
                return kind
        return "string"

    def _values(self, number):
        argument = rf"ARGV\[{number}\]"
        literals = [a.encode() for a in re.findall(rf"{argument} [=~]= '([^']*)'", self.text)]
        if literals:
            return literals + [b"v"]
        times = rf"tonumber\({argument}\)|'(?i:PX|EX|PXAT)', {argument}|'(?i:PEXPIRE|EXPIRE)', [^,()]*, {argument}"
        return TIMES + [b"1000000"] if re.search(times, self.text) else OWNERS

    def arguments(self, draw):
        more = []
        if "ARGV[next" in self.text:  # for each key the number of owners, and the owners
            for _ in self.kinds:
                owners = draw.sample(OWNERS, draw.randint(0, 2))
                more += [b"%d" % len(owners)] + owners
        elif "ARGV[i" in self.text or "ARGV[lock" in self.text:  # an owner for each key
            more = [draw.choice(OWNERS) for _ in self.kinds]
        return [draw.choice(values) for values in self.values] + more


def wants_of(text):
    return Wants(text)


# --- random scripts


class _Writer:
    """Grows a script; local variables are known by number, so that most uses are of one that is there."""

    def __init__(self, draw):
        self.draw, self.locals, self.depth = draw, 0, 0

    def one(self, *makers):
        return self.draw.choice(makers)()

    def key(self):
        return self.draw.choice(["KEYS[1]", "KEYS[2]", "KEYS[3]", "'k4'"])

    def word(self):
        return self.draw.choice(["ARGV[1]", "ARGV[2]", "ARGV[3]", "'f'", "'v'", "10", "'7'", "1.5", "-2", "100", "''", self.local()])

    def local(self):
        return f"a{self.draw.randint(1, self.locals)}" if self.locals else "ARGV[1]"

    def command(self):
        k, w, d = self.key, self.word, self.draw
        number = lambda: d.choice(["1", "2", "1000", "500", "-1", "ARGV[2]", "'x'", "2.5", self.local()])
        return self.one(
            lambda: f"'GET', {k()}", lambda: f"'SET', {k()}, {w()}", lambda: f"'set', {k()}, {w()}, 'PX', {number()}",
            lambda: f"'SET', {k()}, {w()}, 'NX'", lambda: f"'SET', {k()}, {w()}, 'XX', 'KEEPTTL'", lambda: f"'DEL', {k()}",
            lambda: f"'SET', {k()}, {w()}, 'GET'", lambda: f"'SETNX', {k()}, {w()}", lambda: f"'DEL', {k()}, {k()}",
            lambda: f"'EXISTS', {k()}", lambda: f"'TYPE', {k()}", lambda: f"'PTTL', {k()}", lambda: f"'TTL', {k()}",
            lambda: f"'PEXPIRE', {k()}, {number()}", lambda: f"'EXPIRE', {k()}, {number()}", lambda: f"'PERSIST', {k()}",
            lambda: f"'INCR', {k()}", lambda: f"'INCRBY', {k()}, {number()}", lambda: f"'DECR', {k()}",
            lambda: f"'HSET', {k()}, {w()}, {w()}", lambda: f"'HGET', {k()}, {w()}", lambda: f"'HDEL', {k()}, {w()}",
            lambda: f"'HINCRBY', {k()}, {w()}, {number()}", lambda: f"'HEXISTS', {k()}, {w()}", lambda: f"'HLEN', {k()}",
            lambda: f"'HSETNX', {k()}, {w()}, {w()}",
            lambda: f"'RPUSH', {k()}, {w()}", lambda: f"'LPUSH', {k()}, {w()}", lambda: f"'LPOP', {k()}",
            lambda: f"'RPOP', {k()}", lambda: f"'LLEN', {k()}", lambda: f"'LRANGE', {k()}, 0, -1",
            lambda: f"'LINDEX', {k()}, {number()}", lambda: f"'LREM', {k()}, 0, {w()}",
            lambda: f"'ZADD', {k()}, {number()}, {w()}", lambda: f"'ZRANGE', {k()}, 0, -1", lambda: f"'ZREM', {k()}, {w()}",
            lambda: f"'ZSCORE', {k()}, {w()}", lambda: f"'ZINCRBY', {k()}, {number()}, {w()}", lambda: f"'ZCARD', {k()}",
            lambda: f"'ZRANK', {k()}, {w()}", lambda: f"'ZRANGEBYSCORE', {k()}, 0, 1000", lambda: f"'STRLEN', {k()}",
            lambda: f"'APPEND', {k()}, {w()}", lambda: f"'GETSET', {k()}, {w()}", lambda: f"'GETDEL', {k()}",
            lambda: f"'RENAME', {k()}, {k()}", lambda: "'TIME'", lambda: f"'PUBLISH', 'c', {w()}",
            lambda: f"'ECHO', {w()}", lambda: "'PING'", lambda: "unpack({'GET', KEYS[1]})",
            lambda: d.choice(["'GET'", f"'NOSUCH', {k()}", "'EVAL', 'return 1', 0", "'MULTI'", "'GET', {}", "'SUBSCRIBE', 'c'"]), lambda: f"'SETRANGE', {k()}, 2, {w()}",
            lambda: f"'PSETEX', {k()}, {number()}, {w()}", lambda: f"'PEXPIRETIME', {k()}", lambda: f"'COPY', {k()}, {k()}")

    def ask(self):
        return f"redis.{self.draw.choice(['call', 'call', 'pcall', 'pcall', 'pcall'])}({self.command()})"

    def operand(self):
        """Of arithmetic: mostly one that can be counted with."""
        return f"n({self.value()})" if self.draw.random() < 0.9 else self.value()

    def part(self):
        """Of a text: mostly one that can be joined."""
        return f"text({self.value()})" if self.draw.random() < 0.9 else self.value()

    def number(self):
        d = self.draw
        return self.one(
            lambda: str(d.choice([0, 1, -1, 3, 7, 255, 1e15, 2.5, -0.5, 2 ** 53, 1e100])), lambda: f"#{self.text()}",
            lambda: f"tonumber({self.word()})", lambda: f"({self.operand()} {d.choice('+-*/%^')} {self.operand()})",
            lambda: f"math.floor({self.operand()})", lambda: f"math.max({self.operand()}, {self.operand()})",
            lambda: f"math.{d.choice(['ceil', 'abs', 'sqrt'])}({self.operand()})", lambda: "draw(7)", lambda: "#ARGV",
            lambda: f"tonumber({self.text()}, {d.choice([2, 10, 16, 36])})", lambda: f"math.fmod({self.operand()}, 3)",
            lambda: f"select('#', {self.value()}, {self.value()})", lambda: f"#redis.call('HGETALL', {self.key()})", lambda: "#KEYS", lambda: f"-{self.operand()}")

    def text(self):
        d = self.draw
        return self.one(
            lambda: d.choice(["'abc'", "'10'", "'0x1f'", "' 5 '", "'k1'", "'a b'", "'\\0z'", "[[long]]", "'1e3'"]),
            lambda: f"({self.part()} .. {self.part()})", lambda: f"text({self.value()})", lambda: f"type({self.value()})",
            lambda: f"string.format('%d:%s', {self.operand()}, {self.part()})", lambda: f"string.sub({self.text()}, 2, -2)",
            lambda: f"string.format('%.3f|%5.1f|%x|%q|%i', {self.number()}, 2.25, 255, {self.text()}, 7)",
            lambda: f"({self.text()}):{d.choice(['upper', 'lower', 'reverse'])}()", lambda: f"string.rep({self.text()}, 3, '-')",
            lambda: f"(string.gsub({self.text()}, '{d.choice(['a', '.', '%d+', '(b)', '[a-c]', '%s*$'])}', '{d.choice(['', 'x', '%0%0'])}'))",
            lambda: f"(string.match({self.text()}, '{d.choice(['%d+', '^a(.)', '(.-)b', 'x', '[', '%'])}') or 'none')",
            lambda: f"table.concat({{{self.part()}, {self.part()}}}, ',')", lambda: f"redis.sha1hex({self.value()})", lambda: "_VERSION",
            lambda: f"string.char({d.choice([65, 97, 48, 255])}, 66)", lambda: f"string.byte({self.text()})")

    def table(self):
        return self.one(
            lambda: "{" + ", ".join(self.value() for _ in range(self.draw.randint(0, 4))) + "}", lambda: "KEYS", lambda: "ARGV",
            lambda: f"{{{self.value()}, nil, {self.value()}}}", lambda: f"{{ok = {self.text()}}}", lambda: f"{{err = {self.text()}}}",
            lambda: f"{{x = {self.value()}, {self.value()}}}", lambda: f"redis.status_reply({self.text()})",
            lambda: f"redis.error_reply({self.text()})", lambda: f"{{double = {self.number()}}}")

    def value(self):
        self.depth += 1
        if self.depth > 6:
            made = self.draw.choice(["1", "'s'", "nil", "true", "false", self.local(), self.local()])
        else:
            made = self.one(self.word, self.word, self.number, self.text, self.table, self.ask, self.ask, self.local, self.local,
                            lambda: self.draw.choice(["nil", "true", "false"]),
                            lambda: f"({self.value()} {self.draw.choice(['==', '~=', 'and', 'or', 'and', 'or'])} {self.value()})",
                            lambda: f"({self.operand()} {self.draw.choice(['<', '<='])} {self.operand()})",
                            lambda: f"(not {self.value()})", lambda: f"at({self.local()}, {self.draw.choice(['1', '2', chr(39) + 'err' + chr(39), chr(39) + 'ok' + chr(39)])})",
                            lambda: f"(select({self.draw.choice([1, 2, -1, 0])}, {self.value()}, {self.value()}))")
        self.depth -= 1
        return made

    def block(self):
        kept = self.locals
        made = " ".join(self.statement() for _ in range(self.draw.randint(1, 2)))
        self.locals = kept
        return made

    def new_local(self, value):
        self.locals += 1
        return f"local a{self.locals} = {value}"

    def rare(self):
        """What a script may not do, and what rarely occurs."""
        return self.one(
            lambda: "x = 1", lambda: "redis.call = nil", lambda: "KEYS = {}", lambda: f"error({self.word()} .. '')", lambda: "y()",
            lambda: f"error({{err = {self.text()}}})", lambda: f"assert({self.value()}, {self.text()})", lambda: "_G.z = 1",
            lambda: f"redis.log(redis.LOG_NOTICE, {self.value()})", lambda: "math.randomseed(7)", lambda: "string.x = 1",
            lambda: f"if {self.value()} then error({self.text()}, 0) end", lambda: "return", lambda: "local t = {} t.x.y = 1",
            lambda: "setmetatable(_G, {})", lambda: "rawset(_G, 'q', 1)", lambda: "print('x')", lambda: "os.time()",
            lambda: self.new_local("os.clock()"), lambda: "io.write('x')", lambda: "require('x')", lambda: "dofile('x')",
            lambda: f"for", lambda: "end", lambda: "local = 3", lambda: "KEYS[1] = 'k2'", lambda: "ARGV[4] = 'new'",
            lambda: self.new_local(f"loadstring({self.text()})"), lambda: f"table.insert(ARGV, {self.value()})")

    def statement(self):
        self.depth += 1
        if self.draw.random() < 0.04:
            made = self.rare()
        elif self.depth > 5:
            made = self.ask()
        else:
            made = self.one(
                self.ask, self.ask, self.ask, lambda: self.new_local(self.value()), lambda: self.new_local(self.ask()),
                lambda: self.new_local(self.ask()), lambda: self.new_local(self.table()),
                lambda: f"if {self.value()} then {self.block()} else {self.block()} end",
                lambda: f"if {self.ask()} == {self.word()} then {self.block()} end",
                lambda: f"for i = 1, {self.draw.choice([2, 3, '#ARGV'])} do {self.block()} end",
                lambda: f"for _, x in ipairs({self.table()}) do redis.call('RPUSH', {self.key()}, x) end",
                lambda: f"local p, q = pcall(function() {self.block()} return {self.value()} end) "
                        f"if not p then redis.call('SET', {self.key()}, text(q)) end",
                lambda: f"local p, q = pcall(redis.call, {self.command()}) redis.call('SET', {self.key()}, type(q))",
                lambda: self.new_local(f"{{}} for k, x in pairs({self.table()}) do a{self.locals + 1}[#a{self.locals + 1} + 1] = text(k) end"),
                lambda: f"local t = {{'b', 'a', {self.part()}}} table.sort(t) {self.ask()}",
                lambda: f"local t = {{3, 1, 2}} table.insert(t, {self.number()}) table.remove(t, 1)",
                lambda: f"local n = 0 while n < 3 do n = n + 1 {self.block()} end",
                lambda: f"local function g(x) return {self.value()} end " + self.new_local(f"g({self.value()})"))
        self.depth -= 1
        return made

    def script(self):
        body = [self.statement() for _ in range(self.draw.randint(1, 5))]
        joined = self.draw.choice([" ", "\n", ";\n"]).join(body)
        return joined + f"\nreturn {self.value()}"


# A table's text has an address, and a real server goes on with the random numbers of the scripts before.
_HEAD = """local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
"""


def script(draw):
    """A script of three keys and three arguments."""
    return _HEAD + _Writer(draw).script()
