#!/usr/bin/env python3
"""Asks a real Redis server what the golden files say, and prints where the two differ.

    against_redis.py [--record] FILE...

Starts redis-server (Debian: apt-get install redis-server) on 127.0.0.1 with a wall clock that stands
still but for the steps in the file: a small library, built with cc and preloaded, answers
gettimeofday() from a shared file.  Not part of the tests.  --record writes the real replies.
"""
import hashlib, mmap, os, re, socket, struct, subprocess, sys, tempfile, time

PORT = 26399
SHIM = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile long long *ms;
__attribute__((constructor)) static void init(void) {
  int fd = open(getenv("CLOCK_FILE"), O_RDONLY);
  ms = mmap(0, 8, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
}
int gettimeofday(struct timeval *restrict tv, void *restrict tz) {
  (void)tz; tv->tv_sec = *ms / 1000; tv->tv_usec = *ms % 1000 * 1000; return 0;
}
time_t time(time_t *t) { time_t s = *ms / 1000; if (t) *t = s; return s; }
"""


def words(line):
    """The words of a command line: bare, or in quotes with \\" \\\\ \\xHH."""
    out, i = [], 0
    while i < len(line):
        if line[i] == ' ':
            i += 1
        elif line[i] != '"':
            j = line.find(' ', i)
            j = len(line) if j < 0 else j
            out.append(line[i:j].encode())
            i = j
        else:
            word, i = b'', i + 1
            while line[i] != '"':
                if line[i] == '\\' and line[i + 1] == 'x':
                    word += bytes([int(line[i + 2:i + 4], 16)])
                    i += 4
                elif line[i] == '\\':
                    word += line[i + 1].encode()
                    i += 2
                else:
                    word += line[i].encode()
                    i += 1
            out.append(word)
            i += 1
    return out


def quote(b):
    return '"' + ''.join('\\' + chr(c) if c in b'"\\' else
                         '\\x%02x' % c if c < 32 or c >= 127 else chr(c) for c in b) + '"'


class Error(str):
    pass


class Status(str):
    pass


class Connection:
    def __init__(self):
        self.socket = socket.create_connection(('127.0.0.1', PORT))
        self.file = self.socket.makefile('rb')
        self.forget()

    def forget(self):
        self.channels, self.patterns, self.shard_channels = set(), set(), set()

    def send(self, args):
        self.socket.sendall(b'*%d\r\n' % len(args) +
                            b''.join(b'$%d\r\n%s\r\n' % (len(a), a) for a in args))

    def read(self):
        line = self.file.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b'+':
            return Status(rest.decode('latin-1'))
        if kind == b'-':
            return Error(rest.decode('latin-1'))
        if kind == b':':
            return int(rest)
        size = int(rest)
        if size < 0:
            return None
        if kind == b'$':
            return self.file.read(size + 2)[:-2]
        return [self.read() for _ in range(size)]

    def call(self, args):
        self.send(args)
        verb = args[0].upper()
        expected = 1
        topics = {b'P': self.patterns, b'S': self.shard_channels}.get(verb[:1] if verb != b'SUBSCRIBE' else b'', self.channels)
        begins, ends = verb in (b'SUBSCRIBE', b'PSUBSCRIBE', b'SSUBSCRIBE'), verb in (b'UNSUBSCRIBE', b'PUNSUBSCRIBE', b'SUNSUBSCRIBE')
        if begins and len(args) > 1:
            expected = len(args) - 1
        if ends:
            expected = len(args) - 1 if len(args) > 1 else max(1, len(topics))
        replies = [self.read()]
        if (begins or ends) and isinstance(replies[0], list):
            replies += [self.read() for _ in range(expected - 1)]
            for r in replies:
                (topics.add if begins else topics.discard)(r[1])
        if verb == b'RESET' and replies[0] == 'RESET':
            self.forget()
        return replies[0] if len(replies) == 1 else replies

    def pushed(self):
        """Messages that have arrived: a PING behind them tells where they end."""
        if not self.channels and not self.patterns and not self.shard_channels:
            return []
        self.send([b'PING'])
        out = []
        while True:
            message = self.read()
            if message[0] == b'pong':
                return out
            out.append(message)


def plain(b):
    text = b.decode('latin-1')
    return text if re.fullmatch(r'[A-Za-z0-9_\-+.:/*(){}\[\]!@#$%^&=<>,;?|~]+', text) else quote(b)


def show(reply, scripts):
    if reply is None:
        return 'nil'
    if isinstance(reply, Error):
        text = re.sub(r' script: ([0-9a-f]{40}), on @user_script:\d+\.',
                      lambda m: ' script: %s, on @user_script:1.' % scripts.get(m[1], m[1]), reply)
        return '!' + text
    if isinstance(reply, Status):
        return str(reply)
    if isinstance(reply, int):
        return str(reply)
    if isinstance(reply, bytes):
        return quote(reply)
    return '[' + ', '.join(show(r, scripts) for r in reply) + ']'


class Server:
    def __init__(self, *options):
        self.dir = tempfile.mkdtemp(prefix='against_redis')
        clock = os.path.join(self.dir, 'clock')
        with open(clock, 'wb') as f:
            f.write(struct.pack('<q', 1000000))
        self.clock = mmap.mmap(os.open(clock, os.O_RDWR), 8)
        with open(os.path.join(self.dir, 'shim.c'), 'w') as f:
            f.write(SHIM)
        shim = os.path.join(self.dir, 'shim.so')
        subprocess.check_call(['cc', '-shared', '-fPIC', '-O1', '-o', shim,
                               os.path.join(self.dir, 'shim.c')])
        self.process = subprocess.Popen(
            ['redis-server', '--port', str(PORT), '--bind', '127.0.0.1', '--save', '',
             '--dir', self.dir, '--enable-debug-command', 'local', *options],
            env=dict(os.environ, LD_PRELOAD=shim, CLOCK_FILE=clock), stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                Connection().call([b'DEBUG', b'SET-ACTIVE-EXPIRE', b'0'])
                return
            except OSError:
                time.sleep(0.05)
        sys.exit('redis-server does not answer')

    def set_clock(self, ms):
        self.clock[:8] = struct.pack('<q', ms)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def real_answers(server, lines):
    sessions, scripts, names, now, out = {}, {}, {}, 1000000, []
    Connection().call([b'FLUSHALL'])
    for line in lines:
        head = line.split()
        command = re.match(r'([A-Za-z]?)> (.*)', line)
        if command:
            out.append(line)
            args = words(command[2])
            if args and args[0].upper() == b'EVAL' and len(args) > 1 and args[1].decode() in scripts:
                args[1] = scripts[args[1].decode()].encode()
            who = command[1] or 'a'
            if who not in sessions:
                sessions[who] = Connection()
            reply = sessions[who].call(args)
            if args and args[0].upper() in (b'SMEMBERS', b'KEYS') and isinstance(reply, list):
                reply.sort()  # their order is unspecified
            out.append(show(reply, names))
            for name in sorted(sessions):
                for message in sessions[name].pushed():
                    out.append(' '.join(['<' + name] + [plain(part) for part in message[1:]]))
        elif line == '' or line[0] in '#%@+' or line == '---':
            out.append(line)
            if line == '---':
                sessions = {}
                Connection().call([b'FLUSHALL'])
                Connection().call([b'SCRIPT', b'FLUSH'])
                for lua in scripts.values():
                    Connection().call([b'SCRIPT', b'LOAD', lua.encode()])
            elif line[:1] == '@':
                now = int(head[1])
            elif line[:1] == '+':
                now += int(head[1])
            elif head[:2] == ['%', 'close']:
                sessions.pop(head[2]).socket.close()
                time.sleep(0.05)
            elif head[:2] == ['%', 'script']:
                lua = line.split(None, 3)[3]
                scripts[head[2]] = lua
                names[hashlib.sha1(lua.encode()).hexdigest()] = head[2]
            server.set_clock(now)
        elif line[0] in '~!' and (line[1:2] == ' '):
            out.append(line)
    return out


def main():
    record = '--record' in sys.argv
    server, differences = Server(), 0
    try:
        for path in [a for a in sys.argv[1:] if a != '--record']:
            lines = open(path, encoding='latin-1').read().split('\n')
            real = real_answers(server, lines)
            if record:
                open(path, 'w', encoding='latin-1').write('\n'.join(real))
                continue
            asked = ''
            for number, (a, b) in enumerate(zip(lines, real), 1):
                asked = a if re.match(r'[A-Za-z]?> ', a) else asked
                if a != b:
                    differences += 1
                    print('%s:%d: %s\n  file: %s\n  real: %s' % (path, number, asked, a, b))
                    if not a or not b or (a[0] in '#@>') != (b[0] in '#@>'):
                        break
            print('%s: %d lines compared' % (path, len(real)))
    finally:
        server.stop()
    sys.exit(1 if differences else 0)


if __name__ == '__main__':
    main()
