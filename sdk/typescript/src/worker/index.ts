export type { TaskContext } from "./attempt.js";
export { NotTheOwner, OWNER_LABEL } from "./declarations.js";
export type { DeclaredSchedule } from "./declarations.js";
export { LeaseLost, LimitExceeded, TaskCancelled, TaskFailure, TaskTimedOut, WorkerStopped } from "./failures.js";
export type { Categorize, FailureCategory, FailureOptions } from "./failures.js";
export { Worker } from "./worker.js";
export type { Logger, TaskFunction, TaskOptions, WorkerOptions } from "./worker.js";
