"""Processor time of other programs, which does not depend on how busy the machine is: what scripts/zoo and mutant_hunts.py share."""
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time


def processor_seconds():
    """What all programs have used that this one has started, and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_seconds_of(pid):
    try:
        times = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0


def run_for(seconds, command, environment=None):
    """Status, output and errors of a hunt that is interrupted, as by Ctrl-C, after this much processor time."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        ran = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        pause, asked = 0.01, False
        while ran.poll() is None:
            if not asked and processor_seconds_of(ran.pid) >= seconds:
                ran.send_signal(signal.SIGINT)
                asked = True
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
        out.seek(0)
        err.seek(0)
        return ran.returncode, out.read(), err.read()
