"""What was measured, in seconds."""
import statistics
import time


class Times:
    def __init__(self):
        self.all, self.missing = [], 0

    def add(self, since, until):
        if until is None:
            self.missing += 1
        else:
            self.all.append(until - since)

    def text(self, unit="s"):
        if not self.all:
            return "never"
        scale, places = (1000, 1) if unit == "ms" else (1, 3)
        shown = (min(self.all), statistics.median(self.all), max(self.all))
        low, middle, high = (f"{scale * x:.{places}f}" for x in shown)
        missing = f", {self.missing} never" if self.missing else ""
        return f"{low} to {high} {unit}, median {middle} ({len(self.all)} runs{missing})"


def later(session, delay_s):
    """Lets time pass while a session stays alive."""
    until = time.monotonic() + delay_s
    while (rest := until - time.monotonic()) > 0:
        session.ping()
        time.sleep(min(rest, 0.5))


def log_line(folder, text):
    with open(folder + "/log", "a") as f:
        f.write(time.strftime("%F %T", time.localtime()) + f",{int(time.time() * 1000) % 1000:03} ==== {text}\n")
