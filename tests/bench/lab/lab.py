"""Lab: what one run of the bench has: programs, scratch folder, samples."""

import shutil
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import ports, processes
from harness.waiting import wait_for

from .clients import FirstAnswer
from .samples import Samples
from .scratch import Scratch

HERE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Plan:
    size: str  # "full", "tiny" or "smoke", which has the sizes of "tiny"
    repetitions: int  # at most so many; 0: as many as each bench thinks right
    rivals: tuple  # keys of those who may take part


class Lab:
    def __init__(self, bin_folder: Path, programs: Path, pm2: Path, plan: Plan, say):
        self.bin, self._programs, self.pm2, self.plan, self.say = bin_folder, programs, pm2, plan, say
        self.node = shutil.which("node") or ""
        self.scratch = Scratch()
        self.samples = Samples()

    def program(self, name: str) -> str:
        return str((HERE / "programs" if name.endswith(".js") else self._programs) / name)

    @contextmanager
    def opened(self, kind):
        """A rival, closed and its folder removed at the end whatever happens."""
        rival = kind(self)
        try:
            yield rival
        finally:
            rival.close()
            shutil.rmtree(rival.folder, ignore_errors=True)

    @contextmanager
    def ordered(self, order, *arguments):
        """Gives an order in the background, so that its effects can be timed; its error is raised at the end."""
        errors = []

        def carry_out():
            try:
                order(*arguments)
            except Exception as error:  # raised below, in the thread of the bench
                errors.append(error)

        thread = threading.Thread(target=carry_out, daemon=True)
        thread.start()
        try:
            yield
        except Exception as error:
            thread.join(1)
            raise (errors or [error])[0] from error
        thread.join()
        if errors:
            raise errors[0]

    def free_port(self) -> int:
        return ports.free_port()

    def wait_serving(self, rival, app):
        """The app answers and has all its processes, and those had the time to listen."""
        client = FirstAnswer(self, app.port)
        client.go()
        client.times_ns()

        def listening() -> bool:
            found = [pid for pid in rival.pids() if processes.command_line(pid) and self._serves(pid)]
            return len(found) >= app.count

        wait_for(f"{app.count} processes of {rival.title}", listening, 60)
        time.sleep(0.3)

    @staticmethod
    def _serves(pid: int) -> bool:
        """It waits in epoll, as every server here does when it has begun."""
        return any("eventpoll" in target for target in processes.descriptors(pid).values())

    def close(self):
        self.scratch.close()
