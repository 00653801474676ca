"""Data, one fit measured in a process of its own, and the machine: what all benchmarks share.

``python benches/measuring.py PACKAGE METHOD:KIND:ROWSxCOLUMNS THREADS`` fits once and prints JSON.
METHOD is a name of `CLASSES`, or a class of the package with its default options.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NEIGHBORS = 10
# Thread pools below numpy and scikit-learn, and numba's, which fast-select uses.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
CLASSES = {"relieff": "ReliefF", "surf": "SURF", "multisurf": "MultiSURF"}
WEKA_PLACES = (
    os.environ.get("BASRELIEF_WEKA_JAR"),
    ROOT / ".peers/weka.jar",
    "/usr/share/java/weka.jar",
)


def weka_archive():
    """WEKA's archive, where there is a Java to run it."""
    if shutil.which("javac") is None:
        return None
    return next((str(place) for place in WEKA_PLACES if place and Path(place).is_file()), None)


def make_data(kind, rows, columns):
    """Two interacting features among noise; with "-gaps", 5 % missing.

    All of one kind, but for "mixed": numbers, and genotypes in every fourth column.
    """
    import numpy as np

    rng = np.random.default_rng(rows * 10_000 + columns)
    if kind.endswith("-gaps"):
        X, y = make_data(kind.removesuffix("-gaps"), rows, columns)
        X[rng.random(X.shape) < 0.05] = np.nan
        return X, y
    if kind in ("genotypes", "categories"):
        X = rng.integers(0, 3, size=(rows, columns)).astype(float)
        return X, ((X[:, 0] + X[:, 1]) % 3 > 0).astype(int)
    X = rng.normal(size=(rows, columns))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    if kind == "mixed":
        X[:, 3::4] = rng.integers(0, 3, size=X[:, 3::4].shape)
    return X, y


def basrelief_weights(method, kind, X, y, threads):
    import basrelief

    # Both peers take columns of few values for categories.
    options = {"genotype_diff": "categorical"} if kind.startswith("genotypes") else {}
    if kind == "categories":
        options["categorical_features"] = "all"
    if method == "relieff":
        options["n_neighbors"] = NEIGHBORS
    fitted = getattr(basrelief, CLASSES[method])(n_jobs=threads, **options).fit(X, y)
    return fitted.weights_, fitted.plan_


def peer_weights(package):
    def weigh(method, kind, X, y, threads):
        module = importlib.import_module(package)
        options = {"n_neighbors": NEIGHBORS} if method == "relieff" else {}
        selector = getattr(module, CLASSES.get(method, method))(n_jobs=threads, **options)
        return selector.fit(X, y).feature_importances_, None

    return weigh


class Measured(NamedTuple):
    """What a command took."""

    seconds: float
    cpu: float
    megabytes: float


def measure_command(command):
    """Run a command and measure it; what it prints is dropped, but for its errors."""
    command = [str(part) for part in command]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Measured(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)


PACKAGES = {
    "basrelief": basrelief_weights,
    "skrebate": peer_weights("skrebate"),
    "basrelief.skrebate": peer_weights("basrelief.skrebate"),
    "fast-select": peer_weights("fast_select"),
}


def memory(field):
    """Read a field of the process's status, in MB (10^6 bytes)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return float("nan")


def measure_weka(X, y):
    """Fit by WEKA, which times itself; its memory is a virtual machine's and not measured."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.arff"
        columns = [f"@attribute f{index} numeric" for index in range(X.shape[1])]
        rows = [
            ",".join([*map(repr, row), str(label)])
            for row, label in zip(X.tolist(), y, strict=True)
        ]
        lines = ["@relation data", *columns, "@attribute class {0,1}", "@data", *rows, ""]
        file.write_text("\n".join(lines))
        source = Path(__file__).parent / "java" / "WekaTime.java"
        command = ["java", "-cp", weka_archive(), str(source), str(file), str(NEIGHBORS)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, weights = run.stdout.splitlines()[-2:]
    wall, cpu = map(float, seconds.split())
    weights = [float(weight) for weight in weights.split()]
    return {"wall": wall, "cpu": cpu, "peak": float("nan"), "weights": weights}


def measure_here(package, method, kind, rows, columns, threads):
    """Fit once in this process and print what it took as JSON."""
    X, y = make_data(kind, rows, columns)
    if package == "weka":
        print(json.dumps(measure_weka(X, y)))
        return
    weigh = PACKAGES[package]
    # A tiny fit first: imports, compiling and one-time set-up are not what is compared.
    weigh(method, kind, X[:60, :20].copy(), y[:60], threads)
    # Forget the peak of the imports, where the system can.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    weights, plan = weigh(method, kind, X, y, threads)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = memory("VmHWM")
    result = {"wall": wall, "cpu": cpu, "peak": peak - before}
    result["weights"] = [float(weight) for weight in weights]
    result["plan"] = plan
    print(json.dumps(result))


def measure(package, method, kind, rows, columns, threads=1):
    """Fit once in a process of its own; wall and CPU seconds, peak memory in MB, the weights."""
    case = f"{method}:{kind}:{rows}x{columns}"
    command = [sys.executable, __file__, package, case, str(threads)]
    environment = {**os.environ, **{name: str(threads) for name in THREAD_VARIABLES}}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{package} at {case} failed:\n{run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def processor():
    """Describe the day and the processor in Markdown."""
    model, flags = platform.processor() or platform.machine(), set()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                model = value.strip()
            elif key.strip() in ("flags", "Features"):
                flags = set(value.split())
    simd = ["sse4_2", "avx", "avx2", "fma", "avx512f", "avx512bw", "avx512_vpopcntdq", "asimd"]
    return [
        f"- Date: {date.today().isoformat()}",
        f"- Processor: {model}, {os.cpu_count()} cores visible",
        f"- SIMD: {', '.join(name for name in simd if name in flags) or 'unknown'}",
    ]


def machine():
    """Describe the machine and what is installed in Markdown."""
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False)
    import basrelief
    from basrelief import _native

    # Not installed as a package, but compiled into the tree by `scripts/setup.sh --bench`.
    versions = [f"basrelief {basrelief.__version__}"]
    versions += [f"{name} {version(name)}" for name in ("skrebate", "fast-select", "numpy")]
    return [
        *processor(),
        f"- System: {platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"{compiler.stdout.strip() or 'rustc unknown'}",
        f"- Packages: {', '.join(versions)}",
        f"- Profile of basrelief: `{_native.__profile__}`",
    ]


def read_case(text):
    """METHOD:KIND:ROWSxCOLUMNS."""
    method, kind, size = text.split(":")
    rows, columns = size.split("x")
    return method, kind, int(rows), int(columns)


def median_of(results, name):
    """Median of one figure over repeated fits."""
    return statistics.median(result[name] for result in results)


def replace_part(file, name, lines):
    """Put lines between the marks of a part of a page."""
    text = file.read_text()
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    if begin not in text or end not in text:
        raise SystemExit(f"{file}: there is no place for {name} between the marks")
    head, rest = text.split(begin, 1)
    file.write_text(head + begin + "\n".join([*lines, ""]) + end + rest.split(end, 1)[1])


if __name__ == "__main__":
    measure_here(sys.argv[1], *read_case(sys.argv[2]), int(sys.argv[3]))
