"""Progress of a fit: on standard error, and for the callbacks of scikit-learn 1.9 and newer."""

from __future__ import annotations

import sys
import time
from functools import wraps
from inspect import signature

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ModuleNotFoundError:

    class CallbackSupportMixin:
        """Replaces scikit-learn's class before version 1.9: estimators have no callbacks."""

    def with_callbacks(method):
        """Return the method."""
        return method


__all__ = ["CallbackSupportMixin", "FitCancelled", "progress_of", "reports_progress"]

# Stages whose progress is reported in percent. A progress bar shows a line for each of them, so
# that later stages, of an iterative method, are tasks without subtasks.
STAGES_IN_PERCENT = 20


class FitCancelled(RuntimeError):
    """A callback of scikit-learn requested the end of a fit; the estimator is not fitted."""


def reports_progress(method):
    """Decorate a method that fits an estimator: its callbacks are called during the fit."""
    parameters = signature(method)

    @wraps(method)
    @with_callbacks
    def fit(estimator, *args, **kwargs):
        if not getattr(estimator, "_skl_callbacks", None):
            return method(estimator, *args, **kwargs)
        given = parameters.bind(estimator, *args, **kwargs).arguments
        roles = {name: given.get(name) for name in ("groups", "sample_weight")}
        data = {
            "estimator": estimator,
            "X": given.get("X"),
            "y": given.get("y"),
            "metadata": {name: role for name, role in roles.items() if role is not None} or None,
        }
        # The number of stages is known only at the end.
        task = estimator._init_callback_context(max_subtasks=None)
        task.call_on_fit_task_begin(**data)
        estimator._fit_task = task
        try:
            fitted = method(estimator, *args, **kwargs)
        finally:
            del estimator._fit_task
        task.call_on_fit_task_end(**data, reconstruction_attributes={})
        return fitted

    return fit


def progress_of(estimator, name, verbose):
    """Return the receiver of the progress of a fit, or None if nobody is to be informed.

    Parameters
    ----------
    estimator : estimator
        The estimator that is fitted, within a method decorated by :func:`reports_progress`.
    name : str
        The name of the method in messages.
    verbose : bool
        Whether to write progress to standard error.
    """
    task = vars(estimator).get("_fit_task")
    receivers = [_Printer(name)] if verbose else []
    if task is not None:
        receivers.append(_Stages(estimator, task))
    return _Progress(receivers) if receivers else None


class _Progress:
    """Passes on the progress that the compiled module reports."""

    def __init__(self, receivers):
        self._receivers = receivers

    def __call__(self, stage, done, total):
        for receiver in self._receivers:
            receiver(stage, done, total)

    def finish(self, seconds):
        """Report that the fit is complete."""
        for receiver in self._receivers:
            receiver.finish(seconds)


class _Printer:
    """Writes progress to standard error, at most once a second."""

    def __init__(self, method):
        self._method = method
        self._last = time.monotonic()

    def __call__(self, stage, done, total):
        now = time.monotonic()
        if now - self._last >= 1.0:
            self._last = now
            share = f" {100 * done // total} %" if total else ""
            print(f"{self._method}: {stage}{share}", file=sys.stderr, flush=True)

    def finish(self, seconds):
        print(f"{self._method}: done in {seconds:.2f} s", file=sys.stderr)


class _Stages:
    """Calls the callbacks: each stage is a task of the fit, and each of its percents a subtask."""

    def __init__(self, estimator, task):
        self._estimator = estimator
        self._fit = task
        self._n_stages = 0
        self._task = None
        self._stage = None
        self._total = self._percent = 0

    def __call__(self, stage, done, total):
        percent = 100 * done // total if total else 0
        # A stage can begin again, with the same name.
        if (stage, total) != (self._stage, self._total) or percent < self._percent:
            self._end_stage(is_last=False)
            self._begin_stage(stage, total)
        for part in range(self._percent, percent if self._task.max_subtasks else 0):
            subtask = self._task.subcontext(task_name="percent")
            subtask.call_on_fit_task_begin(estimator=self._estimator)
            if subtask.call_on_fit_task_end(estimator=self._estimator):
                raise FitCancelled(f"a callback stopped the fit: {stage}, {part + 1} %")
        self._percent = percent

    def finish(self, _seconds):
        # The fit is complete, so that nothing is left to be stopped.
        self._end_stage(is_last=True)

    def _begin_stage(self, stage, total):
        in_percent = total > 0 and self._n_stages < STAGES_IN_PERCENT
        self._stage, self._total, self._percent = stage, total, 0
        self._n_stages += 1
        self._task = self._fit.subcontext(task_name=stage, max_subtasks=100 if in_percent else 0)
        self._task.call_on_fit_task_begin(estimator=self._estimator)

    def _end_stage(self, is_last):
        if self._task is None:
            return
        stops = self._task.call_on_fit_task_end(estimator=self._estimator)
        if stops and not is_last:
            raise FitCancelled(f"a callback stopped the fit: {self._stage}, at its end")
