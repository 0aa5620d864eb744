import type { BelfryClient } from "../client.js";
import type { LostLease, Task, UsageReport } from "../generated/schemas.js";
import { LeaseLost, LimitExceeded, TaskCancelled } from "./failures.js";

/** What a task function gets besides its input. */
export interface TaskContext {
  /** The task as claimed: run, schedule, node, target… */
  readonly task: Task;
  /** The same for every attempt. Send it with every external call, so that receivers can drop repeats. */
  readonly idempotencyKey: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborted when the function must stop; its reason says why. */
  readonly signal: AbortSignal;
  /** The client of the worker. */
  readonly client: BelfryClient;
  /** Adds to the usage of the attempt. The worker reports the sum with each heartbeat and at the end. */
  addUsage(usage: UsageReport): void;
  /** Renews the lease and reports the usage now. Throws the reason of `signal` if the attempt must stop. */
  heartbeat(): Promise<void>;
}

/** An attempt at a task, while its lease is held. */
export class Attempt implements TaskContext {
  /** When the lease ends, by the clock of `performance.now()`. */
  leaseEnd: number;
  private readonly controller = new AbortController();
  private used: UsageReport | undefined;

  constructor(
    readonly task: Task,
    readonly client: BelfryClient,
    leaseEnd: number,
    private readonly renew: (attempt: Attempt) => Promise<void>,
  ) {
    this.leaseEnd = leaseEnd;
  }

  get idempotencyKey(): string {
    return this.task.idempotencyKey;
  }
  get attempt(): number {
    return this.task.attempt;
  }
  get signal(): AbortSignal {
    return this.controller.signal;
  }
  get usage(): UsageReport | undefined {
    return this.used;
  }
  /** What identifies the lease. */
  get lease(): { runId: string; attempt: number; node: string | null } {
    const { runId, attempt, node } = this.task;
    return { runId, attempt, node };
  }

  addUsage(usage: UsageReport): void {
    const before = this.used ?? {};
    this.used = {
      // The server takes six decimal places.
      credits: Math.round(((before.credits ?? 0) + (usage.credits ?? 0)) * 1e6) / 1e6,
      tokens: (before.tokens ?? 0) + (usage.tokens ?? 0),
      toolCalls: (before.toolCalls ?? 0) + (usage.toolCalls ?? 0),
      tools: [...new Set([...(before.tools ?? []), ...(usage.tools ?? [])])],
    };
  }

  async heartbeat(): Promise<void> {
    this.signal.throwIfAborted();
    await this.renew(this);
    this.signal.throwIfAborted();
  }

  /** Tells the function to stop. */
  abort(reason: Error): void {
    this.controller.abort(reason);
  }
}

/** Why a lease was lost. */
export function reasonOf(lost: LostLease): Error {
  if (lost.limit) return new LimitExceeded(lost.limit);
  if (lost.runStatus === null || lost.runStatus === "queued" || lost.runStatus === "running") {
    return new LeaseLost("another worker has the task");
  }
  return new TaskCancelled(`the run is ${lost.runStatus}${lost.reason ? `: ${lost.reason}` : ""}`);
}
