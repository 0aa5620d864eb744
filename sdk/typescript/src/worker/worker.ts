// A worker: claims tasks, runs their functions under a lease, and reports how they ended.
//
// If the process dies, its leases end, and the server gives the tasks to another worker. `stop` is gentler: the worker
// claims no more, waits for the functions, aborts those that take too long, and gives their tasks back.
import { hostname } from "node:os";
import type { ClientOptions } from "../client.js";
import { BelfryClient } from "../client.js";
import { ApiError, Conflict, Exhausted, ServerError, Unavailable } from "../errors.js";
import type { Task } from "../generated/schemas.js";
import { backoffMs, sleep } from "../waiting.js";
import type { TaskContext } from "./attempt.js";
import { Attempt } from "./attempt.js";
import { Completions } from "./completions.js";
import type { DeclaredSchedule } from "./declarations.js";
import { applyDeclared, definitionOf } from "./declarations.js";
import type { Categorize, Outcome } from "./failures.js";
import { TaskTimedOut, WorkerStopped, failureOf } from "./failures.js";
import { Leases } from "./leases.js";

export type Logger = Pick<Console, "info" | "warn" | "error">;
export type TaskFunction<Input, Result> = (input: Input, context: TaskContext) => Promise<Result> | Result;

export interface TaskOptions<Input> {
  /** Checks the input and gives it its type. If it throws, the attempt fails with `contract_violated`. */
  parse?: (input: unknown) => Input;
  /** The category of an error that the function throws, for the retry policy. */
  categorize?: Categorize;
}

export interface WorkerOptions extends ClientOptions {
  /** Client to use, instead of one with these options. */
  client?: BelfryClient;
  /** Queue to claim from. Defaults to `default`. */
  queue?: string;
  /** Claim the tasks of this agent or team. */
  assignee?: string;
  /** Name that the server shows with the runs. Defaults to host name and process id. */
  name?: string;
  /** Number of functions that run at the same time. Defaults to 10. */
  concurrency?: number;
  /** Length of a lease. The worker renews it three times as often. Defaults to 30,000. */
  leaseMs?: number;
  /** How long a claim waits for a task. Defaults to 20,000. */
  waitMs?: number;
  /** On `stop`, how long functions may take to end. Defaults to 25,000. */
  drainMs?: number;
  /** Owner of the declared schedules, the same in every process of the program. Defaults to the queue. */
  owner?: string;
  /** Delete schedules of the owner that the program no longer declares. Defaults to false. */
  prune?: boolean;
  /** Whether SIGTERM and SIGINT stop the worker. Defaults to true. */
  handleSignals?: boolean;
  /** Defaults to `console`. */
  logger?: Logger;
}

interface Registered {
  run: TaskFunction<unknown, unknown>;
  options: TaskOptions<unknown>;
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;
/** What the server allows in one claim. */
const CLAIM_MAX = 1000;

export class Worker {
  readonly client: BelfryClient;
  readonly name: string;
  private readonly settings;
  private readonly tasks = new Map<string, Registered>();
  private readonly schedules = new Map<string, DeclaredSchedule>();
  private readonly leases: Leases;
  private readonly completions: Completions;
  /** Attempts until their outcome is reported. */
  private readonly running = new Map<Attempt, Promise<void>>();
  /** Functions that have not ended. */
  private busy = 0;
  private readonly stopping = new AbortController();
  private slotFreed: () => void = () => {};
  private finished: Promise<void> | undefined;

  constructor(options: WorkerOptions = {}) {
    this.client = options.client ?? new BelfryClient(options);
    this.name = options.name ?? `${hostname()}-${process.pid}`;
    this.settings = {
      queue: options.queue ?? "default",
      assignee: options.assignee,
      concurrency: options.concurrency ?? 10,
      leaseMs: options.leaseMs ?? 30_000,
      waitMs: options.waitMs ?? 20_000,
      drainMs: options.drainMs ?? 25_000,
      owner: options.owner ?? options.queue ?? "default",
      prune: options.prune ?? false,
      handleSignals: options.handleSignals ?? true,
      logger: options.logger ?? console,
    };
    this.leases = new Leases(this.client, this.settings.leaseMs);
    this.completions = new Completions(this.client, this.leases, this.settings.logger);
  }

  /** Registers the function for tasks of a kind. */
  task<Input = unknown, Result = unknown>(
    kind: string, run: TaskFunction<Input, Result>, options: TaskOptions<Input> = {},
  ): this {
    if (this.tasks.has(kind)) throw new TypeError(`the task ${kind} is already registered`);
    this.tasks.set(kind, { run: run as Registered["run"], options });
    return this;
  }

  /** Declares a schedule, for the task that was registered last unless it names another one. */
  schedule(name: string, declared: DeclaredSchedule): this {
    const task = declared.task ?? [...this.tasks.keys()].at(-1);
    if (task === undefined) throw new TypeError(`the schedule ${name} has no task: register one first, or set "task"`);
    if (this.schedules.has(name)) throw new TypeError(`the schedule ${name} is already declared`);
    this.schedules.set(name, { ...declared, task });
    return this;
  }

  /** Creates or replaces the declared schedules. `run` does this at its start. */
  async apply(): Promise<void> {
    const { owner, queue, prune } = this.settings;
    const definitions = [...this.schedules].map(([name, declared]) =>
      definitionOf(name, declared, { task: declared.task ?? name, queue, owner }));
    await applyDeclared(this.client, owner, definitions, prune);
  }

  /** Works until `stop` or a signal. Rejects if the server refuses the worker, for example without a permission. */
  run(): Promise<void> {
    this.finished ??= this.work();
    return this.finished;
  }

  /** Claims no more tasks, and resolves when the running ones have ended or were given back. */
  async stop(): Promise<void> {
    this.stopping.abort(new WorkerStopped("the worker stops"));
    this.slotFreed();
    await this.finished?.catch(() => {});
  }

  private async work(): Promise<void> {
    // Once: a second signal ends the process at once.
    const onSignal = () => void this.stop();
    if (this.settings.handleSignals) for (const signal of STOP_SIGNALS) process.once(signal, onSignal);
    try {
      if (this.schedules.size > 0 || this.settings.prune) await this.apply();
      await this.claimAll();
    } finally {
      await this.drain();
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    }
  }

  private async claimAll(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted; ) {
      const free = this.freeSlots();
      if (free <= 0) {
        await new Promise<void>((resolve) => (this.slotFreed = resolve));
        // Functions that end at the same moment free their slots for one claim.
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      try {
        await this.claim(Math.min(free, CLAIM_MAX));
        failures = 0;
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        if (isFinal(error)) throw error;
        if (failures === 0) this.settings.logger.warn(`belfry: cannot claim tasks: ${String(error)}`);
        await sleep(backoffMs(failures++), this.stopping.signal).catch(() => {});
      }
    }
  }

  /** Reports do not use a slot, so that the next tasks need not wait for them; but only so many may wait. */
  private freeSlots(): number {
    const { concurrency } = this.settings;
    return Math.min(concurrency - this.busy, 2 * concurrency - this.running.size);
  }

  private async claim(limit: number): Promise<void> {
    const { queue, assignee, leaseMs, waitMs } = this.settings;
    const request = { worker: this.name, queue, assignee, limit, leaseMs, waitMs };
    const signal = this.stopping.signal;
    const { items } = await this.client.claimTasks(request, { signal, maxRetries: 0, timeoutMs: waitMs + 30_000 });
    for (const task of items) this.start(task, performance.now() + leaseMs);
  }

  private start(task: Task, leaseEnd: number): void {
    const attempt = new Attempt(task, this.client, leaseEnd, (one) => this.leases.renew([one]));
    this.leases.hold(attempt);
    const ended = this.attempt(attempt).finally(() => {
      this.running.delete(attempt);
      this.slotFreed();
    });
    this.running.set(attempt, ended);
  }

  /** Runs the function and reports how it ended, unless the lease was lost. */
  private async attempt(attempt: Attempt): Promise<void> {
    const registered = this.tasks.get(attempt.task.taskKind);
    if (!registered) return this.completions.report(attempt, this.unknownKind(attempt.task));
    let timedOut: Promise<void> | undefined;
    const timer = afterMs(attempt.task.timeoutMs, () => {
      attempt.abort(new TaskTimedOut(`the attempt took longer than ${attempt.task.timeoutMs} ms`));
      timedOut = this.report(attempt, failureOf(attempt.signal.reason));
    });
    ++this.busy;
    const outcome = await outcomeOf(registered, attempt);
    --this.busy;
    this.slotFreed();
    clearTimeout(timer);
    // A function may ignore the signal. Then its time-out has been reported, and its slot is free only now.
    await (timedOut ?? this.report(attempt, outcome));
  }

  private async report(attempt: Attempt, outcome: Outcome): Promise<void> {
    if (this.leases.holds(attempt)) await this.completions.report(attempt, outcome);
  }

  private unknownKind(task: Task): Outcome {
    const known = [...this.tasks.keys()].join(", ");
    const error = `the worker ${this.name} has no task ${task.taskKind}; it has: ${known}`;
    return { status: "failed", category: "contract_violated", error };
  }

  private async drain(): Promise<void> {
    const ended = Promise.allSettled(this.running.values());
    const timeUp = new AbortController();
    await Promise.race([ended, sleep(this.settings.drainMs, timeUp.signal).catch(() => {})]);
    timeUp.abort();
    const late = [...this.running.keys()];
    if (late.length === 0) return;
    this.settings.logger.warn(`belfry: the worker stops and gives back ${late.length} tasks`);
    await this.leases.giveBack(late);
    for (const attempt of late) attempt.abort(new WorkerStopped("the worker stops"));
  }
}

/** Timers cannot wait longer than 24 days; the server ends such an attempt by itself. */
function afterMs(ms: number | null, action: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms !== null && ms < 2 ** 31 ? setTimeout(action, ms) : undefined;
}

async function outcomeOf({ run, options }: Registered, attempt: Attempt): Promise<Outcome> {
  let input: unknown = attempt.task.input;
  try {
    if (options.parse) input = options.parse(input);
  } catch (error) {
    return { ...failureOf(error), status: "failed", category: "contract_violated" };
  }
  try {
    return { status: "succeeded", result: (await run(input, attempt)) ?? null };
  } catch (error) {
    return failureOf(error, options.categorize);
  }
}

/** Whether repeating a claim cannot help. */
function isFinal(error: unknown): boolean {
  const isTemporary =
    error instanceof Unavailable || error instanceof Exhausted || error instanceof ServerError
    || error instanceof Conflict;
  return error instanceof ApiError && !isTemporary && error.code !== "outcome_unknown";
}
