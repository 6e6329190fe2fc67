"""Server processes on this machine: started, stopped, and gone when the script is."""
import atexit
import ctypes
import os
import signal
import subprocess
import sys

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET, _PR_SET_PDEATHSIG = 0x40000000, 1
_running = []


def bind_lifetime(limit_s):
    """From here on whatever ends this script, be it the limit, ends its processes too."""

    def leave(number, _frame):
        print(f"ended by signal {number}", file=sys.stderr)
        raise SystemExit(3)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, leave)
    signal.alarm(limit_s)
    atexit.register(stop_all)


def prefer(priority=1):
    """What else runs here should not be measured: this process goes before it, if it may."""
    if os.geteuid() == 0:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(priority))


def _in_child():
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    prefer()


def start(argv, log=None, host=None, **options):
    """A process that dies with the script; of `host`, if it has a network of its own."""
    if host is not None and host.holder is not None:
        argv = ["nsenter", f"--net=/proc/{host.holder.pid}/ns/net"] + argv
    if log is not None:
        options |= {"stdout": open(log, "a"), "stderr": subprocess.STDOUT}
    process = subprocess.Popen(argv, preexec_fn=_in_child, **options)
    _running.append(process)
    return process


def end(process):
    """Kills it, stopped or not, and waits until it is gone."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
        process.wait()
    if process in _running:
        _running.remove(process)


def stop_all():
    for process in list(_running):
        end(process)


class Host:
    """An address of the loopback, alone on the common network or in a namespace of its own (which needs root)."""

    def __init__(self, number, apart):
        self.number = number
        self.address = f"127.0.0.{10 + number}"
        self.holder = None
        if apart:
            self.holder = start(["unshare", "-n", "sh", "-c", "ip link set lo up && echo up && exec sleep 7200"],
                                stdout=subprocess.PIPE)
            self.holder.stdout.readline()

    def inside(self, make):
        """What `make` returns, a socket say, made in this host's network."""
        if self.holder is None:
            return make()
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        away = os.open(f"/proc/{self.holder.pid}/ns/net", os.O_RDONLY)
        try:
            _enter(away)
            return make()
        finally:
            _enter(home)
            os.close(home)
            os.close(away)


def _enter(namespace):
    if _libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
