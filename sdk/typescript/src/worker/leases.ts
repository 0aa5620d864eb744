// Renews the leases of all attempts with one heartbeat, three times per lease.
//
// The worker counts a renewed lease from the moment it sent the heartbeat, so it ends here no later than on the server.
// A lease that could not be renewed in time is lost here, too: the function stops before another worker begins.
import type { BelfryClient } from "../client.js";
import type { HeldLease, LostLease } from "../generated/schemas.js";
import type { Attempt } from "./attempt.js";
import { reasonOf } from "./attempt.js";
import { LeaseLost } from "./failures.js";

/** The server takes that many leases in one heartbeat. */
const BATCH = 1000;
/** The shortest lease of the server, which gives a task back. */
const SHORTEST_LEASE_MS = 100;

/** How long a worker that stops waits for an answer. */
const GIVE_BACK_MS = 2000;

const keyOf = (lease: { runId: string; attempt: number; node?: string | null }): string =>
  `${lease.runId}/${lease.attempt}/${lease.node ?? ""}`;

export class Leases {
  private readonly held = new Map<string, Attempt>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isBeating = false;

  constructor(
    private readonly client: BelfryClient,
    private readonly leaseMs: number,
  ) {}

  hold(attempt: Attempt): void {
    this.held.set(keyOf(attempt.lease), attempt);
    this.beatIn(this.leaseMs / 3);
  }

  holds(attempt: Attempt): boolean {
    return this.held.get(keyOf(attempt.lease)) === attempt;
  }

  drop(attempt: Attempt): void {
    this.held.delete(keyOf(attempt.lease));
    if (this.held.size > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Gives tasks back before their leases end. It may fail: then they end by themselves. */
  async giveBack(attempts: Attempt[]): Promise<void> {
    for (const attempt of attempts) this.drop(attempt);
    await this.send(attempts, SHORTEST_LEASE_MS, GIVE_BACK_MS).catch(() => {});
  }

  /** Renews these leases now. */
  async renew(attempts: Attempt[]): Promise<void> {
    const sentAt = performance.now();
    // A heartbeat that is not answered by the end of the first lease has failed.
    const end = Math.min(...attempts.map(({ leaseEnd }) => leaseEnd));
    const { lost } = await this.send(attempts, this.leaseMs, Math.max(end - sentAt, 1));
    const byKey = new Map<string, LostLease>(lost.map((lease) => [keyOf(lease), lease]));
    for (const attempt of attempts) {
      const loss = byKey.get(keyOf(attempt.lease));
      if (loss) this.lose(attempt, reasonOf(loss));
      else attempt.leaseEnd = sentAt + this.leaseMs;
    }
  }

  /** Plans the next heartbeat, unless there is one or it has no lease to renew. */
  private beatIn(ms: number): void {
    if (this.timer !== undefined || this.isBeating || this.held.size === 0) return;
    this.timer = setTimeout(() => void this.beat(), ms);
  }

  private async beat(): Promise<void> {
    this.timer = undefined;
    this.isBeating = true;
    const attempts = [...this.held.values()];
    let next = this.leaseMs / 3;
    try {
      for (let first = 0; first < attempts.length; first += BATCH) {
        await this.renew(attempts.slice(first, first + BATCH));
      }
    } catch {
      // Another heartbeat may succeed, as long as the leases last.
      next = this.leaseMs / 10;
    }
    for (const attempt of attempts) {
      if (attempt.leaseEnd <= performance.now()) this.lose(attempt, new LeaseLost("the lease could not be renewed"));
    }
    this.isBeating = false;
    this.beatIn(next);
  }

  private lose(attempt: Attempt, reason: Error): void {
    if (!this.holds(attempt)) return;
    this.drop(attempt);
    attempt.abort(reason);
  }

  private send(attempts: Attempt[], leaseMs: number, timeoutMs: number) {
    const leases: HeldLease[] = attempts.map((attempt) => ({ ...attempt.lease, usage: attempt.usage }));
    return this.client.heartbeatTasks({ leases, leaseMs }, { maxRetries: 0, timeoutMs });
  }
}
