// Reports how attempts ended. Attempts that end while a report is under way share the next one.
import type { BelfryClient } from "../client.js";
import { ApiError, Exhausted, OutcomeUnknown, Unavailable, ServerError } from "../errors.js";
import type { TaskCompletion } from "../generated/schemas.js";
import { backoffMs, sleep } from "../waiting.js";
import type { Attempt } from "./attempt.js";
import type { Outcome } from "./failures.js";
import type { Leases } from "./leases.js";
import type { Logger } from "./worker.js";

/** Half of the largest body that the server takes. */
const BATCH_BYTES = 1 << 20;
const BATCH_ITEMS = 100;

interface Report {
  attempt: Attempt;
  item: TaskCompletion;
  bytes: number;
  done: () => void;
}

export class Completions {
  private readonly waiting: Report[] = [];
  private isSending = false;

  constructor(
    private readonly client: BelfryClient,
    private readonly leases: Leases,
    private readonly logger: Logger,
  ) {}

  /** Resolves when the server knows the outcome, or when the lease is lost. */
  report(attempt: Attempt, outcome: Outcome): Promise<void> {
    return new Promise((done) => {
      this.waiting.push(reportOf(attempt, outcome, done));
      if (this.isSending) return;
      this.isSending = true;
      // Functions that end at the same moment share the first report, too.
      setImmediate(() => void this.sendAll());
    });
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      await this.send(batch);
      for (const report of batch) {
        this.leases.drop(report.attempt);
        report.done();
      }
    }
    this.isSending = false;
  }

  private nextBatch(): Report[] {
    let bytes = 0;
    let count = 0;
    for (const report of this.waiting) {
      bytes += report.bytes;
      if (count === BATCH_ITEMS || (count > 0 && bytes > BATCH_BYTES)) break;
      ++count;
    }
    return this.waiting.splice(0, count);
  }

  /** Repeats the report for as long as leases are held; heartbeats keep them. */
  private async send(batch: Report[]): Promise<void> {
    for (let failures = 0; ; ++failures) {
      const held = batch.filter((report) => this.leases.holds(report.attempt));
      if (held.length === 0) return;
      try {
        const { items } = await this.client.completeTasks({ items: held.map(({ item }) => item) }, { maxRetries: 0 });
        for (const { ok, problem, runId } of items) {
          // A conflict after a lost response means that the first report counted.
          if (!ok && failures === 0) this.logger.warn(`belfry: run ${runId}: ${problem?.detail ?? "not accepted"}`);
        }
        return;
      } catch (error) {
        if (isRefused(error)) return this.sendRefused(held, error);
        await sleep(backoffMs(failures));
      }
    }
  }

  /** One of the reports is at fault, for example a result that is too large. */
  private async sendRefused(batch: Report[], error: ApiError): Promise<void> {
    const [first, ...others] = batch;
    if (!first) return;
    if (others.length > 0) {
      for (const report of batch) await this.send([report]);
    } else if (first.item.status === "succeeded") {
      await this.send([reportOf(first.attempt, rejected(error.message), first.done)]);
    } else {
      this.logger.error(`belfry: run ${first.item.runId}: the server rejected the report: ${error.message}`);
    }
  }
}

const rejected = (reason: string): Outcome => ({
  status: "failed",
  category: "contract_violated",
  error: `the result was rejected: ${reason}`,
});

function reportOf(attempt: Attempt, outcome: Outcome, done: () => void): Report {
  const item: TaskCompletion = { ...attempt.lease, ...outcome, usage: attempt.usage };
  try {
    return { attempt, item, bytes: JSON.stringify(item).length, done };
  } catch (error) {
    return reportOf(attempt, rejected(String(error)), done);
  }
}

/** Whether the server will never take the same report. */
function isRefused(error: unknown): error is ApiError {
  const isTemporary =
    error instanceof Unavailable || error instanceof OutcomeUnknown || error instanceof Exhausted
    || error instanceof ServerError;
  return error instanceof ApiError && !isTemporary;
}
