// Sends requests, and repeats them when that is safe.
//
// A response of 429 with Retry-After, or 503, says that nothing was changed: every request may be repeated. If there
// was no response, the change may have happened. Then only these are repeated: reads, replacements without If-Match,
// and requests with an Idempotency-Key.
import type { CallExtras, CallOptions, Keyed, Matched, Method } from "./call.js";
import {
  BelfryError, ConnectionFailed, Exhausted, OutcomeUnknown, RequestTimedOut, Unavailable, errorOf,
} from "./errors.js";
import type { Problem } from "./generated/schemas.js";
import { backoffMs, deadline, sleep } from "./waiting.js";

export interface TransportOptions {
  url: string;
  token?: string;
  timeoutMs: number;
  maxRetries: number;
  headers: Record<string, string>;
  fetch: typeof fetch;
}

/** Retry-After may ask for longer than a caller wants to wait; then the error says so. */
const RETRY_AFTER_MAX_MS = 60_000;

interface Sent {
  method: Method;
  path: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** A repeat has no second effect. */
  repeatable: boolean;
}

export class Transport {
  constructor(private readonly options: TransportOptions) {}

  /** The response as JSON, as text, or undefined if it has no body. */
  async call(method: Method, path: string, options: CallOptions, extras: CallExtras = {}): Promise<unknown> {
    const sent = this.prepare(method, path, options, extras);
    const maxRetries = options.maxRetries ?? this.options.maxRetries;
    for (let attempt = 0; ; ++attempt) {
      try {
        return await this.send(sent, options, extras.isText ?? false);
      } catch (error) {
        const wait = attempt < maxRetries ? retryDelayMs(error, sent.repeatable, attempt) : undefined;
        if (wait === undefined) throw error;
        await sleep(wait, options.signal);
      }
    }
  }

  /** The response itself, for streams. It rejects for errors like `call`, but repeats nothing. */
  async open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const response = await this.options.fetch(this.options.url + path, {
      headers: { ...this.credentials(), ...this.options.headers, ...headers },
      signal,
    });
    if (!response.ok) throw errorOf(await failureOf(response, path));
    return response;
  }

  private credentials(): Record<string, string> {
    return this.options.token ? { Authorization: `Bearer ${this.options.token}` } : {};
  }

  private prepare(method: Method, path: string, options: CallOptions & Keyed & Matched, extras: CallExtras): Sent {
    const { signal: _, timeoutMs: __, maxRetries: ___, requestHeaders, idempotencyKey, ifMatch, ...others } = options;
    const headers: Record<string, string> = { ...this.credentials(), ...this.options.headers };
    if (extras.body !== undefined) headers["Content-Type"] = extras.media ?? "application/json";
    if (extras.keyed) headers["Idempotency-Key"] = idempotencyKey ?? newKey();
    if (ifMatch !== undefined) headers["If-Match"] = typeof ifMatch === "number" ? `"${ifMatch}"` : ifMatch;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(others)) {
      if (value === undefined || value === null) continue;
      const sent = name === "limit" && extras.limitMax ? Math.min(Math.max(Number(value), 1), extras.limitMax) : value;
      const header = extras.headers?.[name];
      if (header) headers[header] = String(sent);
      else query.set(extras.query?.[name] ?? name, String(sent));
    }
    const text = query.toString();
    return {
      method,
      path,
      url: this.options.url + path + (text && `?${text}`),
      headers: { ...headers, ...requestHeaders },
      body: extras.media ? String(extras.body) : JSON.stringify(extras.body),
      repeatable: extras.keyed || extras.repeatable || method === "GET" || (method === "PUT" && ifMatch === undefined),
    };
  }

  private async send(sent: Sent, options: CallOptions, isText: boolean): Promise<unknown> {
    const timeoutMs = options.timeoutMs ?? this.options.timeoutMs;
    const limit = deadline(timeoutMs, options.signal);
    try {
      const { method, path, url, headers, body } = sent;
      const response = await this.options.fetch(url, { method, headers, body, signal: limit.signal });
      if (!response.ok) throw errorOf(await failureOf(response, path));
      const text = await response.text();
      if (isText) return text;
      return text === "" ? undefined : JSON.parse(text);
    } catch (error) {
      if (error instanceof BelfryError) throw error;
      if (options.signal?.aborted) throw options.signal.reason;
      if (limit.expired) throw new RequestTimedOut(`no response within ${timeoutMs} ms`);
      throw new ConnectionFailed(`the request failed: ${reasonOf(error)}`, { cause: error });
    } finally {
      limit.end();
    }
  }
}

/** How long to wait before the next attempt, or undefined if the request must not be repeated. */
function retryDelayMs(error: unknown, repeatable: boolean, attempt: number): number | undefined {
  const asked = error instanceof Exhausted || error instanceof Unavailable ? error.retryAfterMs : undefined;
  if (asked !== undefined && asked > RETRY_AFTER_MAX_MS) return undefined;
  if (error instanceof Unavailable || (error instanceof Exhausted && asked !== undefined)) {
    return Math.max(asked ?? 0, backoffMs(attempt));
  }
  const isUnknown =
    error instanceof ConnectionFailed || error instanceof RequestTimedOut || error instanceof OutcomeUnknown;
  return isUnknown && repeatable ? backoffMs(attempt) : undefined;
}

async function failureOf(response: Response, path: string) {
  const text = await response.text();
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  return {
    status: response.status,
    path,
    problem: problemOf(text),
    requestId: response.headers.get("X-Request-Id") ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  };
}

/** A proxy may respond with something else than a problem. */
function problemOf(text: string): Partial<Problem> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** fetch hides why a connection failed in `cause`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}

/** Node 18, and pages that are not from a secure origin, lack crypto.randomUUID. The key only has to be unique. */
function newKey(): string {
  const random = (globalThis as { crypto?: { randomUUID?: () => string } }).crypto;
  if (random?.randomUUID) return random.randomUUID();
  return Array.from({ length: 3 }, () => Math.random().toString(36).slice(2)).join("");
}
