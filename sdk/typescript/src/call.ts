// What every call has in common: the options of the caller, and what the generated operations say about a request.

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Options of every call. Other members of a call's options are parameters of its query. */
export interface CallOptions {
  /** Ends the call, including its retries. The call rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** How long one attempt may take, in milliseconds. */
  timeoutMs?: number;
  /** How often the client repeats the request if it is safe. */
  maxRetries?: number;
  /** Further headers of the request. */
  requestHeaders?: Record<string, string>;
}

export interface Keyed {
  /** Makes the request safe to repeat. The client generates one if omitted, so that it can retry. */
  idempotencyKey?: string;
}

export interface Matched {
  /** The version that the change is based on, or an `ETag`. Throws `Conflict` if another client was first. */
  ifMatch?: number | string;
}

export interface Selected<F> {
  /** Names of members. The response, or each item of a list, has only these. */
  fields?: readonly F[];
}

/** What a generated operation says about its request. */
export interface CallExtras {
  body?: unknown;
  /** Media type of a body that is text. */
  media?: string;
  /** The response is text, not JSON. */
  isText?: boolean;
  /** The operation takes an `Idempotency-Key`. */
  keyed?: boolean;
  /** A POST that changes nothing. */
  repeatable?: boolean;
  /** Larger values of `limit` mean this one. */
  limitMax?: number;
  /** Names of query parameters that differ from their options. */
  query?: Record<string, string>;
  /** Options that are headers. */
  headers?: Record<string, string>;
}

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** The names that `fields` accepts: of the items of a page, or of the response itself. */
export type FieldOf<T> = T extends Page<infer Item> ? keyof Item : keyof T;

/** A response limited by `fields`. */
export type Only<T, F> =
  T extends Page<infer Item> ? Omit<T, "items"> & { items: Pick<Item, F & keyof Item>[] } : Pick<T, F & keyof T>;

/** One part of a path. */
export const part = (value: string | number): string => encodeURIComponent(value);
