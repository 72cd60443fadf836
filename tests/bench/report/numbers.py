"""How numbers are written."""


def short(value: float | None) -> str:
    """Three digits, thousands with a comma."""
    if value is None:
        return "–"
    if value == 0 or abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{short(ratio)}×"
