"""StandingBench: all rivals run at the same time and are asked in turns, so they share every noise of the machine."""

from contextlib import ExitStack

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
