export type { CallOptions, Keyed, Matched, Page } from "./call.js";
export { BelfryClient } from "./client.js";
export type { ClientOptions } from "./client.js";
export * from "./errors.js";
export type {
  ApprovalEventType, BelfryEvent, EventsOptions, RunEventType, ScheduleEventType,
} from "./events.js";
export type * from "./generated/operations.js";
export type * from "./generated/schemas.js";
export { RunFailed, RunHandle } from "./run_handle.js";
export type { WaitOptions } from "./run_handle.js";
export { ScheduleHandle } from "./schedule_handle.js";
