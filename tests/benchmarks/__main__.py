"""``python -m tests.benchmarks [NAME…]``: runs the benchmarks of these names, all of them if none is given.

A benchmark is a module in this folder with a ``main()`` that prints its figures, each as a ratio to something that is
measured in the same run.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import arena  # noqa: F401 - what it sets for libraries, before a benchmark loads them


def main(names: list[str]) -> None:
    known = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if module.name != "__main__"]
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"there is no benchmark {', '.join(unknown)}: choose from {', '.join(known)}")
    for name in names or known:
        module = importlib.import_module(f"tests.benchmarks.{name}")
        print(f"== {name}: {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
        module.main()


if __name__ == "__main__":
    main(sys.argv[1:])
