"""Bench: one question, asked to several rivals in turns."""

from rivals import BY_KEY

# Without these a bench has no meaning; any other rival that fails is left out, with its reason in the tables.
INDISPENSABLE = ("clusterd", "bare")


class Bench:
    key = ""
    title = ""
    text = ""  # what is measured and how, for the page
    rivals: tuple = ()
    full: dict = {}  # sizes; "repetitions" is understood by run()
    smoke: dict = {}
    chart = ""  # the metric that is drawn
    noun = ""  # of what a case is the number, if it is one

    def __init__(self, lab):
        self.lab = lab
        self.size = dict(self.full if lab.plan.size == "full" else self.smoke)
        if lab.plan.repetitions:
            self.size["repetitions"] = min(lab.plan.repetitions, self.size["repetitions"])

    def available(self) -> list:
        """Classes of the rivals that can be had here."""
        found = []
        for key in self.rivals:
            if key not in self.lab.plan.rivals:
                continue
            reason = BY_KEY[key].missing(self.lab)
            if reason:
                self.skip(key, reason)
            else:
                found.append(BY_KEY[key])
        return found

    def run(self):
        """Each repetition asks all rivals, another one first each time."""
        kinds = self.available()
        for number in range(self.size["repetitions"]):
            self.lab.say(f"{self.key}: {number + 1} of {self.size['repetitions']}")
            turn = number % len(kinds)
            for kind in kinds[turn:] + kinds[:turn]:
                if not self.tolerating(kind.key, self.measure, kind):
                    kinds = [other for other in kinds if other is not kind]

    def measure(self, kind):
        """One repetition of one rival."""
        raise NotImplementedError

    def tolerating(self, key: str, what, *arguments) -> bool:
        """False if it failed and may be left out."""
        try:
            what(*arguments)
            return True
        except Exception as error:
            if key in INDISPENSABLE:
                raise
            self.skip(key, f"{type(error).__name__}: {error}")
            return False

    def skip(self, key: str, reason: str):
        self.lab.say(f"{self.key}: without {key}: {reason}")
        self.lab.samples.skip(self.key, key, reason.partition("\n")[0][:200])

    def add(self, rival: str, case, metric: str, value: float, unit: str):
        self.lab.samples.add(self.key, rival, str(case), metric, value, unit)
