"""Makes faults in workers of Spark that have this folder in PYTHONPATH, for test_faults.py.

Python imports this file by itself. The fault stands in the file that BASRELIEF_FAULT_FILE names,
so that it can change while workers live: `raise` lets the first attempt of every pair of blocks
fail, `slow` lets the first attempt of one pair take half a minute, `version` gives the package
another version.
"""

import importlib.abc
import importlib.util
import os
import sys
import time
from pathlib import Path
from types import ModuleType

FILE = Path(os.environ["BASRELIEF_FAULT_FILE"])


def fault():
    return FILE.read_text().strip()


class Faulty(ModuleType):
    @property
    def __version__(self):
        return "0.0.1" if fault() == "version" else self.own_version


def spoil_package(module):
    module.own_version = vars(module).pop("__version__")
    module.__class__ = Faulty


def spoil_native(module):
    job_pair = module.job_pair

    def faulty(plan, stage, known, a, b, *rest):
        from pyspark import TaskContext

        attempt = TaskContext.get().attemptNumber()
        Path(f"{FILE}-{fault()}-{stage}-{a}-{b}-{attempt}").touch()
        if fault() == "raise" and attempt == 0:
            raise RuntimeError("a fault made for a test")
        if fault() == "slow" and attempt == 0 and (a, b) == (0, 0):
            time.sleep(30)
        return job_pair(plan, stage, known, a, b, *rest)

    module.job_pair = faulty


SPOILED = {"basrelief": spoil_package, "basrelief._native": spoil_native}


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name not in SPOILED:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        run = spec.loader.exec_module

        def run_and_spoil(module):
            run(module)
            SPOILED[name](module)

        spec.loader.exec_module = run_and_spoil
        return spec


sys.meta_path.insert(0, Finder())
