import type { CallOptions } from "./call.js";
import type { BelfryClient } from "./client.js";
import { BelfryError } from "./errors.js";
import type { ListRunEventsOptions } from "./generated/operations.js";
import type { ApprovalDecision, Run, RunEvent, RunEvents, Walk } from "./generated/schemas.js";
import { sleep } from "./waiting.js";

/** The run ended, but it did not succeed. */
export class RunFailed extends BelfryError {
  override readonly name = "RunFailed";

  constructor(readonly run: Run) {
    super(`the run ${run.id} is ${run.status}: ${run.error ?? run.detail ?? run.reason ?? "no reason is known"}`);
  }
}

export interface WaitOptions extends CallOptions {
  /** How long to wait for the end of the run, in milliseconds. If omitted, only `signal` ends the wait. */
  waitMs?: number;
}

/** How often a wait asks: soon at first, because most runs are short. */
const FIRST_LOOK_MS = 100;
const LAST_LOOK_MS = 2000;

/** One run. */
export class RunHandle {
  constructor(
    private readonly client: BelfryClient,
    readonly id: string,
  ) {}

  describe(options: CallOptions = {}): Promise<Run> {
    return this.client.getRun(this.id, options);
  }

  /** Waits until the run has ended. Returns the run as it is after `waitMs`. */
  async wait(options: WaitOptions = {}): Promise<Run> {
    const { waitMs = Infinity, ...call } = options;
    const end = Date.now() + waitMs;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LAST_LOOK_MS)) {
      const run = await this.describe(call);
      const left = end - Date.now();
      if (run.outcome !== "running" || left <= 0) return run;
      await sleep(Math.min(pause, left), options.signal);
    }
  }

  /** Waits until the run has ended and returns its result. Throws `RunFailed` unless it succeeded. */
  async result<Result = unknown>(options: WaitOptions = {}): Promise<Result> {
    const run = await this.wait(options);
    if (run.status !== "succeeded") throw new RunFailed(run);
    return run.result as Result;
  }

  cancel(reason?: string, options: CallOptions = {}): Promise<Run> {
    return this.client.cancelRun(this.id, { reason }, options);
  }

  terminate(reason?: string, options: CallOptions = {}): Promise<Run> {
    return this.client.terminateRun(this.id, { reason }, options);
  }

  approve(body: ApprovalDecision = {}, options: CallOptions = {}): Promise<Run> {
    return this.client.approveRun(this.id, body, options);
  }

  reject(body: ApprovalDecision = {}, options: CallOptions = {}): Promise<Run> {
    return this.client.rejectRun(this.id, body, options);
  }

  /** The nodes of its workflow. */
  nodes(options: CallOptions = {}): Promise<Walk> {
    return this.client.getRunNodes(this.id, options);
  }

  /** One page of its events, oldest first. */
  events(options: ListRunEventsOptions<keyof RunEvent> = {}): Promise<RunEvents> {
    return this.client.listRunEvents(this.id, options);
  }

  iterEvents(options: ListRunEventsOptions<keyof RunEvent> = {}): AsyncGenerator<RunEvent, void, undefined> {
    return this.client.iterRunEvents(this.id, options);
  }
}
