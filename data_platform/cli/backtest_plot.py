"""A backtest as a picture: row counts by day, the band of what was usual, and the deliveries outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.gates.volume.backtest import Backtest, Judged
    from data_platform.model.volume import UsualRows

WIDTH, HEIGHT = 1200, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 15, 15, 30
_LINES = 4
NEWEST = 800
"""More deliveries would be closer than the points of the picture."""


def svg_of(result: Backtest) -> str:
    """An SVG document of the newest deliveries. The band begins where the seasonal rule does."""
    steps, usual = result.steps[-NEWEST:], result.bounds[-NEWEST:]
    top = max((max(step.rows, one.high if one else 0) for step, one in zip(steps, usual, strict=True)), default=1) or 1
    scale = _Scale(len(steps), top)
    parts = [_frame(scale, steps), _band(scale, usual), _counts(scale, steps), _unusual(scale, steps, usual)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="11">\n<title>Row counts by day, and what was usual</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


class _Scale:
    def __init__(self, deliveries: int, top: float) -> None:
        self._step = (WIDTH - _LEFT - _RIGHT) / max(deliveries - 1, 1)
        self.top = top

    def x(self, place: int) -> float:
        return round(_LEFT + place * self._step, 1)

    def y(self, rows: float) -> float:
        share = max(rows, 0) / self.top
        return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 1)


def _frame(scale: _Scale, steps: Sequence[Judged]) -> str:
    lines = []
    for part in range(_LINES + 1):
        rows = scale.top * part / _LINES
        y = scale.y(rows)
        lines.append(f'<path d="M{_LEFT} {y}H{WIDTH - _RIGHT}" stroke="#ddd"/>')
        lines.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end" fill="#555">{rows:,.0f}</text>')
    for place in sorted({len(steps) * part // _LINES for part in range(_LINES)}):
        if place < len(steps):
            lines.append(f'<text x="{scale.x(place)}" y="{HEIGHT - 10}" fill="#555">{steps[place].partition}</text>')
    return "\n".join(lines)


def _band(scale: _Scale, usual: Sequence[UsualRows | None]) -> str:
    known = [(place, one) for place, one in enumerate(usual) if one]
    if not known:
        return ""
    upper = [f"{scale.x(place)},{scale.y(min(one.high, scale.top))}" for place, one in known]
    lower = [f"{scale.x(place)},{scale.y(one.low)}" for place, one in reversed(known)]
    return f'<polygon points="{" ".join(upper + lower)}" fill="#cfe3f7"/>'


def _counts(scale: _Scale, steps: Sequence[Judged]) -> str:
    points = " ".join(f"{scale.x(place)},{scale.y(step.rows)}" for place, step in enumerate(steps))
    return f'<polyline points="{points}" fill="none" stroke="#1b4f8a" stroke-width="1"/>'


def _unusual(scale: _Scale, steps: Sequence[Judged], usual: Sequence[UsualRows | None]) -> str:
    return "\n".join(
        f'<circle cx="{scale.x(place)}" cy="{scale.y(step.rows)}" r="4" fill="#c62828">'
        f"<title>{step.partition}: {step.rows:,} rows, expected {one.rows:,.0f}</title></circle>"
        for place, (step, one) in enumerate(zip(steps, usual, strict=True))
        if one and not one.includes(step.rows)
    )
