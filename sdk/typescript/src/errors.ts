// Errors of the client. `name` tells them apart: a `switch` over the `name` of a `BelfryFailure` knows each type.
import type { Problem, ProblemPlace } from "./generated/schemas.js";

/** One place in a request that is wrong: a JSON pointer into the body, a query parameter or a header. */
export type FieldError = ProblemPlace;

/** What a response with an error says. */
export interface ErrorResponse {
  status: number;
  /** Path of the request. */
  path: string;
  problem: Partial<Problem>;
  requestId?: string;
  retryAfterMs?: number;
}

/** The base of all errors of the client. */
export abstract class BelfryError extends Error {}

/** The server responded with an error. */
export abstract class ApiError extends BelfryError {
  readonly status: number;
  /** Machine-readable code. It never changes. */
  readonly code: string;
  /** What is wrong, and how to fix it. */
  readonly detail: string;
  readonly errors: readonly FieldError[];
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;
  /** How long the server asks the client to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(response: ErrorResponse) {
    super(response.problem.detail ?? `the server responded with the status ${response.status}`);
    this.detail = this.message;
    this.status = response.status;
    this.code = response.problem.code ?? "unknown";
    this.errors = response.problem.errors ?? [];
    this.requestId = response.requestId;
    this.retryAfterMs = response.retryAfterMs;
  }
}

/** The request is invalid. `errors` says where. */
export class InvalidArgument extends ApiError {
  override readonly name = "InvalidArgument";
}
/** No accepted credential. */
export class Unauthenticated extends ApiError {
  override readonly name = "Unauthenticated";
}
/** The role is insufficient, or the resource cannot change. */
export class PermissionDenied extends ApiError {
  override readonly name = "PermissionDenied";
}
/** There is no such tenant, calendar, workflow… */
export class NotFound extends ApiError {
  override readonly name: "NotFound" | "ScheduleNotFound" | "RunNotFound" = "NotFound";
}
/** There is no such schedule. */
export class ScheduleNotFound extends NotFound {
  override readonly name = "ScheduleNotFound";
}
/** There is no such run. */
export class RunNotFound extends NotFound {
  override readonly name = "RunNotFound";
}
/** The name is taken. */
export class AlreadyExists extends ApiError {
  override readonly name: "AlreadyExists" | "ScheduleAlreadyExists" = "AlreadyExists";
}
/** A schedule has this name. */
export class ScheduleAlreadyExists extends AlreadyExists {
  override readonly name = "ScheduleAlreadyExists";
}
/** Another client was first, the lease was lost, or the run has ended. Read the current state and decide again. */
export class Conflict extends ApiError {
  override readonly name = "Conflict";
}
/** Too many requests (then `retryAfterMs` is set), or a limit of the tenant is reached. */
export class Exhausted extends ApiError {
  override readonly name = "Exhausted";
}
/** The server is temporarily unavailable. Nothing was changed. */
export class Unavailable extends ApiError {
  override readonly name = "Unavailable";
}
/** The server does not know whether the change happened. Check before you repeat it. */
export class OutcomeUnknown extends ApiError {
  override readonly name = "OutcomeUnknown";
}
/** A bug or a damaged row of the server. */
export class ServerError extends ApiError {
  override readonly name = "ServerError";
}
/** There was no complete response. Whether a change happened is unknown. */
export class ConnectionFailed extends BelfryError {
  override readonly name = "ConnectionFailed";
}
/** There was no response within `timeoutMs`. Whether a change happened is unknown. */
export class RequestTimedOut extends BelfryError {
  override readonly name = "RequestTimedOut";
}

export type BelfryFailure =
  | InvalidArgument | Unauthenticated | PermissionDenied | NotFound | ScheduleNotFound | RunNotFound | AlreadyExists
  | ScheduleAlreadyExists | Conflict | Exhausted | Unavailable | OutcomeUnknown | ServerError | ConnectionFailed
  | RequestTimedOut;

const BY_STATUS: Record<number, new (response: ErrorResponse) => ApiError> = {
  401: Unauthenticated,
  403: PermissionDenied,
  404: NotFound,
  409: Conflict,
  429: Exhausted,
  503: Unavailable,
};

const SCHEDULE_PATH = /^\/api\/tenants\/[^/]+\/schedules(\/[^/]+)?$/;

/** The error of a response. Tenants, schedules and runs share the code `not_found`, so the text decides. */
export function errorOf(response: ErrorResponse): ApiError {
  const { code, detail = "" } = response.problem;
  if (code === "outcome_unknown") return new OutcomeUnknown(response);
  if (code === "already_exists") {
    return SCHEDULE_PATH.test(response.path) ? new ScheduleAlreadyExists(response) : new AlreadyExists(response);
  }
  if (code === "not_found" && detail.startsWith("there is no schedule ")) return new ScheduleNotFound(response);
  if (code === "not_found" && detail.startsWith("there is no run ")) return new RunNotFound(response);
  const known = BY_STATUS[response.status] ?? (response.status >= 500 ? ServerError : InvalidArgument);
  return new known(response);
}
