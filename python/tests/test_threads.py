"""Threads, the interpreter's lock and Ctrl-C."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed

from basrelief import VLS, ReliefF, RReliefF, TuRF

# Seconds: what other programs and signals take.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning"),
]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 37))
    X[:, ::3] = rng.integers(0, 3, size=(700, 13))
    X[rng.uniform(size=X.shape) < 0.03] = np.nan
    return X, rng.integers(0, 3, size=700)


WRAPPED = TuRF(VLS(ReliefF(), size=12, rounds=2), drop=0.5, keep=10)


@pytest.mark.parametrize("estimator", [ReliefF(), RReliefF(), ReliefF(n_samples=99), WRAPPED])
def test_the_same_bits_for_any_number_of_threads(estimator, data):
    X, y = data
    estimator.set_params(random_state=3)
    one = estimator.set_params(n_jobs=1).fit(X, y).weights_
    for n_jobs in (2, 3, 8, -1, None):
        many = estimator.set_params(n_jobs=n_jobs).fit(X, y).weights_
        np.testing.assert_array_equal(many.view(np.int64), one.view(np.int64))


def test_fits_in_several_python_threads_and_processes(data):
    X, y = data
    expected = ReliefF().fit(X, y).weights_
    for backend in ("threading", "loky"):
        fitted = Parallel(n_jobs=2, backend=backend)(
            delayed(ReliefF(n_jobs=n_jobs).fit)(X, y) for n_jobs in (None, 2, -1)
        )
        for selector in fitted:
            np.testing.assert_array_equal(selector.weights_, expected)


def test_other_python_threads_run_during_a_fit(data):
    X, y = np.tile(data[0], (6, 1)), np.tile(data[1], 6)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(None)
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        # A fit that is too short for ten ticks proves nothing, so it is repeated with more rows.
        for _ in range(8):
            before = len(ticks)
            ReliefF().fit(X, y)
            during = len(ticks) - before
            if during > 10:
                break
            X, y = np.tile(X, (2, 1)), np.tile(y, 2)
    finally:
        stop.set()
        ticker.join()
    assert during > 10


# None of these ends by itself. Where the signal arrives outside the library, which the exception's
# message tells, the work begins again.
INTERRUPTED = """
import numpy as np
from basrelief import Kernelized, LFE, ReliefF
rng = np.random.default_rng(0)

def search():
    X, y = rng.normal(size=(60_000, 400)), rng.integers(0, 2, 60_000)
    return lambda: ReliefF(n_jobs={n_jobs}).fit(X, y)

def decomposition():
    X, y = rng.normal(size=(3000, 20)), rng.integers(0, 2, 3000)
    return lambda: Kernelized(LFE(2, n_jobs={n_jobs}), "rbf:rho=1").fit(X, y)

fit = {work}()
while True:
    try:
        print("ready", flush=True)
        while True:
            fit()
    except KeyboardInterrupt as interruption:
        if str(interruption) == "interrupted":
            print("interrupted", flush=True)
            break
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("n_jobs", [1, -1])
@pytest.mark.parametrize("work", ["search", "decomposition"])
def test_ctrl_c_stops_a_fit(work, n_jobs):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(work=work, n_jobs=n_jobs)],
        stdout=subprocess.PIPE,
        text=True,
        # A shell in the background may have made us ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        line = process.stdout.readline()
        while line == "ready\n":
            # Long enough to be inside the library, most times.
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            line = process.stdout.readline()
        assert line == "interrupted\n"
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()


KEPT = """
import multiprocessing, os, sys, time
import numpy as np
from basrelief import ReliefF
X, y = np.random.default_rng(0).normal(size=(300, 5)), np.arange(300) % 2

def names():
    tasks = os.listdir("/proc/self/task")
    found = [open(f"/proc/self/task/{task}/comm").read().strip() for task in tasks]
    return sorted(name for name in found if name.startswith("basrelief-"))

def all_names():
    # A thread gets its name only when it first runs.
    end = time.monotonic() + 30
    while len(names()) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    return names()

expected = ReliefF(n_jobs=3).fit(X, y).weights_
for _ in range(5):
    ReliefF(n_jobs=3).fit(X, y)
print(*all_names(), flush=True)

def forked(results):
    results.put((names(), ReliefF(n_jobs=3).fit(X, y).weights_, all_names()))

context = multiprocessing.get_context("fork")
results = context.Queue()
process = context.Process(target=forked, args=(results,))
process.start()
before, weights, after = results.get(timeout=60)
process.join()
print(len(before), (weights == expected).all(), *after)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the threads from /proc")
def test_the_threads_of_a_fit_serve_the_next_one_in_this_process_alone():
    run = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, timeout=120)
    three = "basrelief-0 basrelief-1 basrelief-2"
    assert run.stdout.splitlines() == [three, f"0 True {three}"], run.stderr
