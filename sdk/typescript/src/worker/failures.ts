// How an attempt ends: what a task function throws, and why the worker stops one.
import { RequestTimedOut } from "../errors.js";
import type { TaskCompletion, TrippedLimit } from "../generated/schemas.js";

/** Categories that a retry policy can select with `retryOn`. */
export type FailureCategory = NonNullable<TaskCompletion["category"]>;

export interface FailureOptions {
  category?: FailureCategory;
  /** The server waits at least this long before the next attempt. */
  retryAfterMs?: number;
  cause?: unknown;
}

/** Throw it from a task function to say how the attempt failed. */
export class TaskFailure extends Error {
  override readonly name = "TaskFailure";
  readonly category: FailureCategory | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.category = options.category;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A reason of `ctx.signal`: the run was cancelled or has ended. The worker reports nothing. */
export class TaskCancelled extends Error {
  override readonly name = "TaskCancelled";
}
/** A reason of `ctx.signal`: the lease ended, and another worker may have the task. The worker reports nothing. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}
/** A reason of `ctx.signal`: the reported usage exceeds a limit. The attempt has failed. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";

  constructor(readonly limit: TrippedLimit) {
    super(`the usage exceeds the limit ${limit.limit}`);
  }
}
/** A reason of `ctx.signal`: the attempt took longer than the `timeoutMs` of its task. It has timed out. */
export class TaskTimedOut extends Error {
  override readonly name = "TaskTimedOut";
}
/** A reason of `ctx.signal`: the worker stops, and the task did not end in time. Another worker gets it. */
export class WorkerStopped extends Error {
  override readonly name = "WorkerStopped";
}

export type Categorize = (error: unknown) => FailureCategory | undefined;

/** How an attempt ended, without its identity. */
export type Outcome = Pick<TaskCompletion, "status" | "category" | "result" | "error" | "retryAfterMs">;

/** AbortSignal.timeout and most libraries name their errors so. */
const TIMEOUTS = new Set(["TimeoutError", "TaskTimedOut"]);

export function failureOf(error: unknown, categorize?: Categorize): Outcome {
  const message = error instanceof Error ? error.message || error.name : String(error);
  if (error instanceof TaskFailure) {
    const { category, retryAfterMs } = error;
    return { status: category === "timeout" ? "timed_out" : "failed", category, error: message, retryAfterMs };
  }
  const category = categorize?.(error);
  const isTimeout = error instanceof RequestTimedOut || (error instanceof Error && TIMEOUTS.has(error.name));
  if (category === "timeout" || (category === undefined && isTimeout)) {
    return { status: "timed_out", category: "timeout", error: message };
  }
  return { status: "failed", category, error: message };
}
