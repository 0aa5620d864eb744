import type { CallExtras, CallOptions, Keyed, Method } from "./call.js";
import { part } from "./call.js";
import type { BelfryEvent, EventsOptions } from "./events.js";
import { follow } from "./events.js";
import { Operations } from "./generated/operations.js";
import type { ScheduleRequest, TaskStart, WorkflowStart } from "./generated/schemas.js";
import { RunHandle } from "./run_handle.js";
import { ScheduleHandle } from "./schedule_handle.js";
import { Transport } from "./transport.js";

export interface ClientOptions {
  /** Address of the server. Defaults to `BELFRY_URL`, else `http://127.0.0.1:8642`. A page may use `""`, its own. */
  url?: string;
  /** API key or token of an identity provider. Defaults to `BELFRY_TOKEN`. */
  token?: string;
  /** Defaults to `BELFRY_TENANT`, else `default`. */
  tenant?: string;
  /** How long one attempt of a call may take. Defaults to 30,000. */
  timeoutMs?: number;
  /** How often the client repeats a request that failed, if that is safe. Defaults to 2. */
  maxRetries?: number;
  /** Further headers of every request. */
  headers?: Record<string, string>;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** A client of one tenant: every operation of the HTTP API, handles of schedules and runs, and the event stream. */
export class BelfryClient extends Operations {
  readonly tenant: string;
  protected readonly root: string;
  private readonly transport: Transport;

  constructor(private readonly options: ClientOptions = {}) {
    super();
    this.tenant = options.tenant ?? environment("BELFRY_TENANT") ?? "default";
    this.root = `/api/tenants/${part(this.tenant)}`;
    this.transport = new Transport({
      url: (options.url ?? environment("BELFRY_URL") ?? "http://127.0.0.1:8642").replace(/\/+$/, ""),
      token: options.token ?? environment("BELFRY_TOKEN"),
      timeoutMs: options.timeoutMs ?? 30_000,
      maxRetries: options.maxRetries ?? 2,
      headers: options.headers ?? {},
      // A browser's fetch must not be called as a method of another object.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    });
  }

  /** The same client for another tenant. */
  withTenant(tenant: string): BelfryClient {
    return new BelfryClient({ ...this.options, tenant });
  }

  /** The handle of a schedule: its id or its current name. It sends nothing. */
  schedule(schedule: string): ScheduleHandle {
    return new ScheduleHandle(this, schedule);
  }

  /** The handle of a run. It sends nothing. */
  run(run: string): RunHandle {
    return new RunHandle(this, run);
  }

  /** Creates a schedule and returns its handle. */
  async newSchedule(body: ScheduleRequest, options: CallOptions & Keyed = {}): Promise<ScheduleHandle> {
    return this.schedule((await this.createSchedule(body, options)).id);
  }

  /** Starts a task now and returns the handle of its run. */
  async newTask(body: TaskStart, options: CallOptions & Keyed = {}): Promise<RunHandle> {
    return this.run((await this.startTask(body, options)).id);
  }

  /** Starts a workflow now and returns the handle of its run. */
  async newWorkflow(body: WorkflowStart, options: CallOptions & Keyed = {}): Promise<RunHandle> {
    return this.run((await this.startWorkflow(body, options)).id);
  }

  /**
   * Follows the events of the tenant. The iterator reconnects by itself and misses nothing. It ends when the caller
   * leaves the loop or aborts the signal.
   */
  events(options: EventsOptions = {}): AsyncGenerator<BelfryEvent, void, undefined> {
    return follow(this.transport, this.root, options);
  }

  protected call<T>(method: Method, path: string, options: CallOptions, extras?: CallExtras): Promise<T> {
    return this.transport.call(method, path, options, extras) as Promise<T>;
  }
}

/** A variable of the environment; browsers have none. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
