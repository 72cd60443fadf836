"""StandingBench: all rivals run at the same time and are asked in turns, so they share every noise of the machine."""

from contextlib import ExitStack

from rivals.rival import App

from .bench import Bench


class StandingBench(Bench):
    def cases(self) -> list:
        """What is set up one after another."""
        raise NotImplementedError

    def concerns(self, kind, case) -> bool:
        """Whether a rival takes part in a case."""
        return True

    def set_up(self, rival, case):
        """Starts the app of a case; what it returns is given to ask()."""
        raise NotImplementedError

    def ask(self, rival, case, state):
        """One repetition."""
        raise NotImplementedError

    def serve(self, rival, program: str, count: int) -> App:
        """A server that answers; what most set-ups begin with."""
        app = App("web", program, count=count, port=self.lab.free_port())
        rival.open()
        rival.start(app)
        self.lab.wait_serving(rival, app)
        return app

    def run(self):
        for case in self.cases():
            with ExitStack() as stack:
                self._run_case(case, stack)

    def _run_case(self, case, stack: ExitStack):
        standing = []
        for kind in self.available():
            if not self.concerns(kind, case):
                continue
            self.lab.say(f"{self.key}, {case}: setting up {kind.key}")
            rival = stack.enter_context(self.lab.opened(kind))
            states = []
            if self.tolerating(kind.key, lambda r=rival, s=states: s.append(self.set_up(r, case))):
                standing.append((rival, states[0]))
        for number in range(self.size["repetitions"]):
            turn = number % len(standing)
            for rival, state in standing[turn:] + standing[:turn]:
                if not self.tolerating(rival.key, self.ask, rival, case, state):
                    standing = [other for other in standing if other[0] is not rival]


class ByProgram(StandingBench):
    """The cases are programs, of which only some rivals can run the one in C."""

    def cases(self) -> list:
        return ["Node" if program.endswith(".js") else "C" for program in self.size["programs"]]

    def concerns(self, kind, case) -> bool:
        return case == "Node" or kind.key in ("clusterd", "bare")

    def serve_case(self, rival, case, count: int) -> App:
        return self.serve(rival, "server.js" if case == "Node" else "b-server", count)


class ByCount(StandingBench):
    """The cases are numbers of instances of the Node server."""

    noun = "instances"

    def cases(self) -> list:
        return list(self.size["counts"])

    def set_up(self, rival, case):
        return self.serve(rival, "server.js", case)
