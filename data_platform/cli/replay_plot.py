"""A replay as a picture: a bar for each day, with the late partitions below and the unusual row counts above."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.replay import Replay, ReplayedDay

WIDTH, HEIGHT = 1200, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 15, 30, 30
_LATE, _VOLUME = "#c62828", "#ef9a00"
_LABELS = 6


def svg_of(result: Replay) -> str:
    """An SVG document with a bar for each day of the replay."""
    top = max((one.late + one.volume for one in result.days), default=0) or 1
    step = (WIDTH - _LEFT - _RIGHT) / max(len(result.days), 1)
    bars = [_bar(place, one, step, top) for place, one in enumerate(result.days)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="11">\n<title>Alerts by day</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n'
        + "\n".join([_frame(result, step, top), *filter(None, bars)])
        + "\n</svg>\n"
    )


def _frame(result: Replay, step: float, top: int) -> str:
    legend = f"late {result.late}", f"unusual row counts {result.volume}"
    base = HEIGHT - _BOTTOM
    parts = [
        f'<text x="{_LEFT}" y="16" fill="{_LATE}">{legend[0]}</text>',
        f'<text x="{_LEFT + 100}" y="16" fill="{_VOLUME}">{legend[1]}</text>',
        f'<text x="{_LEFT - 6}" y="{_TOP + 4}" text-anchor="end" fill="#555">{top}</text>',
        f'<text x="{_LEFT - 6}" y="{base}" text-anchor="end" fill="#555">0</text>',
        f'<path d="M{_LEFT} {base}H{WIDTH - _RIGHT}" stroke="#999"/>',
    ]
    for place in sorted({len(result.days) * part // _LABELS for part in range(_LABELS)}):
        x = round(_LEFT + place * step, 1)
        parts.append(f'<text x="{x}" y="{HEIGHT - 10}" fill="#555">{result.days[place].day}</text>')
    return "\n".join(parts)


def _bar(place: int, one: ReplayedDay, step: float, top: int) -> str:
    unit = (HEIGHT - _TOP - _BOTTOM) / top
    x, width = round(_LEFT + place * step, 1), round(max(step - 1, 1), 1)
    late, volume = round(one.late * unit, 1), round(one.volume * unit, 1)
    base = HEIGHT - _BOTTOM
    bars = [(base - late, late, _LATE), (base - late - volume, volume, _VOLUME)]
    shown = [
        f'<rect x="{x}" y="{round(y, 1)}" width="{width}" height="{height}" fill="{colour}"/>'
        for y, height, colour in bars
        if height
    ]
    title = f"<title>{one.day}: {one.late} late, {one.volume} unusual row counts</title>"
    return f"<g>{title}{''.join(shown)}</g>" if shown else ""
