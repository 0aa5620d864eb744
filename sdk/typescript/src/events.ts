// The event stream of a tenant. It ends only when the caller ends it: the server closes every stream after a minute,
// and the client reconnects at the position of the last event, so that it misses nothing.
import { Exhausted, ApiError, Unavailable } from "./errors.js";
import type { Message } from "./sse.js";
import { messagesOf, textOf } from "./sse.js";
import type { Transport } from "./transport.js";
import { backoffMs, deadline, sleep } from "./waiting.js";

export type ScheduleEventType =
  | "schedule.created" | "schedule.updated" | "schedule.paused" | "schedule.resumed" | "schedule.completed"
  | "schedule.deleted" | "schedule.breaker_opened" | "schedule.breaker_closed";
export type RunEventType =
  | "run.dispatched" | "run.awaiting_approval" | "run.buffered" | "run.skipped" | "run.retrying" | "run.redelivered"
  | "run.succeeded" | "run.failed" | "run.cancelled" | "run.terminated" | "run.timed_out";
export type ApprovalEventType = "approval.requested" | "approval.decided";

interface Happened<Type extends string, Data> {
  /** Position in the stream. Pass it as `after` to continue behind this event. */
  id: string;
  type: Type;
  timestamp: string;
  data: Data & Record<string, unknown>;
}

/** What happened in the tenant. `type` tells the events apart. */
export type BelfryEvent =
  | Happened<ScheduleEventType, { tenant: string; scheduleId: string; scheduleName: string }>
  | Happened<RunEventType, { tenant: string; scheduleId: string; scheduleName: string; runId: string }>
  | Happened<ApprovalEventType, { tenant: string; runId: string }>
  /** The position is too old, and events were missed: reload the state that you show. */
  | { id: string; type: "reset" };

export interface EventsOptions {
  /** Only events of these types. `run.*` means all types with that beginning. */
  types?: readonly string[];
  /** Only events of this schedule: its id or its current name. */
  schedule?: string;
  /** Position of the last event that the caller has. If omitted, the stream begins now. */
  after?: string | number;
  /** Ends the stream. The iterator then rejects with the reason of the signal. */
  signal?: AbortSignal;
}

/** The server sends a comment every 15 seconds; after three missing ones the connection is dead. */
const SILENCE_MS = 45_000;

export async function* follow(
  transport: Transport, root: string, options: EventsOptions,
): AsyncGenerator<BelfryEvent, void, undefined> {
  const place: Place = { lastId: options.after?.toString(), retryMs: 0, failures: 0 };
  for (;;) {
    yield* connection(transport, root, options, place);
    await sleep(Math.max(place.retryMs, place.failures > 0 ? backoffMs(place.failures - 1) : 0), options.signal);
  }
}

interface Place {
  lastId: string | undefined;
  retryMs: number;
  /** Connections in a row that brought nothing. */
  failures: number;
}

/** The events of one connection. Returns when it breaks; throws if another one would not help. */
async function* connection(
  transport: Transport, root: string, options: EventsOptions, place: Place,
): AsyncGenerator<BelfryEvent, void, undefined> {
  const limit = deadline(SILENCE_MS, options.signal);
  place.failures += 1;
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (place.lastId !== undefined) headers["Last-Event-ID"] = place.lastId;
    const response = await transport.open(`${root}/events${queryOf(options)}`, headers, limit.signal);
    for await (const message of messagesOf(textOf(response, limit.restart))) {
      place.failures = 0;
      place.retryMs = message.retryMs ?? place.retryMs;
      place.lastId = message.id ?? place.lastId;
      const event = eventOf(message, place.lastId ?? "");
      if (event) yield event;
    }
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    const isTemporary = error instanceof Unavailable || error instanceof Exhausted || !(error instanceof ApiError);
    if (!isTemporary) throw error;
    if (error instanceof ApiError) place.retryMs = Math.max(place.retryMs, error.retryAfterMs ?? 0);
  } finally {
    limit.end();
  }
}

function eventOf(message: Message, id: string): BelfryEvent | undefined {
  if (message.event === "reset") return { id, type: "reset" };
  if (message.data === undefined) return undefined;
  return { id, ...JSON.parse(message.data) };
}

function queryOf(options: EventsOptions): string {
  const query = new URLSearchParams();
  if (options.types?.length) query.set("types", options.types.join(","));
  if (options.schedule !== undefined) query.set("schedule", options.schedule);
  const text = query.toString();
  return text && `?${text}`;
}
