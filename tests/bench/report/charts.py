"""Bar charts as SVG, written by hand: horizontal bars, grouped by case, logarithmic where bars differ a lot."""

import math
from html import escape

from lab.samples import Samples
from rivals import BY_KEY

from .numbers import short

WIDTH, LABEL, VALUE, BAR, GAP, TOP = 760, 190, 90, 16, 14, 44
LOGARITHMIC_FROM = 30  # largest over smallest
COLOURS = {
    "clusterd": "#1a7f5a",
    "bare": "#8a8f98",
    "pm2-fork": "#2b4f9e",
    "pm2-cluster": "#5b7fd0",
    "node-cluster": "#b5892b",
    "supervisord": "#a34f4f",
    "runit": "#7a5aa0",
    "s6": "#a884c9",
}


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{escape(text)}</text>\n'


class _Scale:
    def __init__(self, values: list[float]):
        positive = [value for value in values if value > 0]
        self.most = max(positive, default=1)
        least = min(positive, default=1)
        self.logarithmic = self.most / least > LOGARITHMIC_FROM
        self._floor = 10 ** math.floor(math.log10(least) - 0.5)

    def width(self, value: float) -> float:
        room = WIDTH - LABEL - VALUE
        if value <= 0:
            return 0
        if not self.logarithmic:
            return room * value / self.most
        return room * math.log(value / self._floor) / math.log(self.most / self._floor)


def _bar(y: float, key: str, value: float, unit: str, scale: _Scale) -> str:
    width = max(1.0, scale.width(value))
    return (
        _text(LABEL - 8, y + BAR - 4, BY_KEY[key].title, 'text-anchor="end"')
        + f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{COLOURS[key]}"/>\n'
        + _text(LABEL + width + 6, y + BAR - 4, f"{short(value)} {unit}".strip())
    )


def chart(samples: Samples, bench: str, title: str, metric: str, noun: str) -> str:
    """A group for each case, in it a bar for each rival; empty if there is nothing to draw."""
    groups = [
        (case, unit, [(key, samples.median(bench, key, case, name)) for key in BY_KEY])
        for case, name, unit in samples.lines(bench)
        if name == metric
    ]
    groups = [(case, unit, [bar for bar in bars if bar[1] is not None]) for case, unit, bars in groups]
    if not groups:
        return ""
    scale = _Scale([value for _, _, bars in groups for _, value in bars])
    body, y = "", TOP
    for case, unit, bars in groups:
        body += _text(8, y + BAR - 4, f"{case} {noun}".strip(), 'font-weight="bold"')
        y += BAR
        for key, value in bars:
            body += _bar(y, key, value, unit, scale)
            y += BAR
        y += GAP
    note = f"{metric}; logarithmic" if scale.logarithmic else metric
    head = _text(8, 18, title, 'font-size="15" font-weight="bold"') + _text(8, 34, note, 'fill="#666"')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" '
        f'font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{y}" fill="white"/>\n{head}{body}</svg>\n'
    )
