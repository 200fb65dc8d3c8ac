"""The command line ``arena``: how fast the arena is on this machine."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from arena.bench import Bench, Effort, bench
from arena.terminal import console

__all__ = ["COMMANDS", "measure_and_show"]

LEGEND = (
    "A worker is a core with a table: referee and bots. A decision is a message of {turn} bytes and an answer of "
    "{answer}; the bots answer at once.",
    "rate: decisions a second of all workers together; of bare streams, round trips.",
    "floor: the rate beside a bare stream to one bot process, with gRPC as it comes.",
    "near: the rate beside a bare stream that is tuned as the arena tunes gRPC, and goes to three bot processes in "
    "turn as at a table.",
    "CPU µs: microseconds of computing that a decision takes in the referee and in the bots.",
    "A minute: matches of the set ten-points.",
)


def measure_and_show(out: Console) -> None:
    """Measures, and prints the figures with a sentence for each."""
    with out.status("bare streams, then whole matches: most of a minute …"):
        found = bench(Effort())
    out.print(figures(found))
    for sentence in LEGEND:
        out.print(sentence.format(turn=found.turn_bytes, answer=found.answer_bytes))
    for boards, share in found.start_up.items():
        count = f"{boards} boards" if boards > 1 else "one board"
        out.print(f"Start-up takes {share:.0%} of the time of a sitting of {count}.")
    if found.sandbox == "none":
        out.print("bubblewrap does not work here: the lines with a sandbox are left out.")


def figures(found: Bench) -> Table:
    """A line for each that was measured."""
    table = Table(box=None, pad_edge=False)
    table.add_column("workers", justify="right")
    table.add_column("what", overflow="fold")
    for column in ("rate", "floor", "near", "CPU µs", "a minute"):
        table.add_column(column, justify="right")
    for line in found.lines:
        table.add_row(
            str(line.workers),
            line.what,
            f"{line.decisions_a_second:,.0f}",
            f"{line.of_the_floor:.2f}",
            f"{line.of_the_near_floor:.2f}",
            f"{line.referee_us:.0f} + {line.bots_us:.0f}",
            f"{line.matches_a_minute:,.0f}" if line.matches_a_minute else "",
        )
    return table


@click.command("bench")
@click.option("--json", "as_json", is_flag=True, help="The figures as JSON.")
def bench_command(as_json: bool) -> None:
    """Measure how many decisions a second the arena makes here, beside bare gRPC streams."""
    if as_json:
        print(json.dumps(bench(Effort()).as_json(), indent=2))
    else:
        measure_and_show(console())


COMMANDS = (bench_command,)
