"""The function of a task: which arguments it takes, and how it is called."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import typing
from typing import Any, Callable, Dict, Optional

from belfry._codec import decode
from belfry.worker.context import TaskContext
from belfry.worker.failures import Categories, ContractViolated


class TaskFunction:
    """Takes the input, the context, both or nothing. A parameter annotated TaskContext gets the context; the other one
    gets the input, read as its annotation says."""

    def __init__(self, kind: str, function: Callable[..., Any], categories: Categories) -> None:
        self.kind = kind
        self.function = function
        self.categories = categories
        self.is_async = inspect.iscoroutinefunction(function)
        self._input: Optional[str] = None
        self._context: Optional[str] = None
        self._read_parameters()

    def _read_parameters(self) -> None:
        for name, parameter in inspect.signature(self.function).parameters.items():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise TypeError(f"the function of task {self.kind!r} must not have the parameter {parameter}")
            if parameter.annotation in (TaskContext, "TaskContext", "belfry.TaskContext"):
                self._context = name
            elif self._input is None:
                self._input = name
            elif parameter.default is parameter.empty:
                raise TypeError(f"the function of task {self.kind!r} takes an input and a TaskContext, not {name!r}")

    def arguments(self, context: TaskContext) -> Dict[str, Any]:
        """Raises ContractViolated if the input does not fit."""
        found: Dict[str, Any] = {} if self._context is None else {self._context: context}
        if self._input is None:
            return found
        # At the call, so that a function may name a class that is defined below it.
        kind = typing.get_type_hints(self.function).get(self._input, Any)
        try:
            found[self._input] = decode(kind, context.task.input)
        except (ValueError, TypeError) as error:
            raise ContractViolated(f"the input of task {self.kind!r} is invalid: {error}") from error
        return found

    async def call(self, context: TaskContext) -> Any:
        arguments = self.arguments(context)
        context._enter()
        if self.is_async:
            return await self.function(**arguments)
        return await asyncio.shield(in_thread(lambda: self.function(**arguments)))


def in_thread(function: Callable[[], Any]) -> asyncio.Future[Any]:
    """The value of a function that runs in a thread of its own. The thread does not keep the process alive: a function
    that does not end must not hold up a shutdown."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    variables = contextvars.copy_context()

    def end(value: Any, error: Optional[BaseException]) -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def work() -> None:
        value, error = None, None
        try:
            value = variables.run(function)
        except BaseException as caught:  # the loop must learn of everything, or the task would never end
            error = caught if not isinstance(caught, StopIteration) else RuntimeError(repr(caught))
        try:
            loop.call_soon_threadsafe(end, value, error)
        except RuntimeError:  # the loop has ended before this function
            pass

    threading.Thread(target=work, name="belfry-task", daemon=True).start()
    return future
