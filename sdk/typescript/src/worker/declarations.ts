// Schedules that a program declares beside its tasks. At its start the worker creates or replaces them by name. The
// label `belfry.owner` says which program owns a schedule; the worker does not touch schedules of other owners.
import type { BelfryClient } from "../client.js";
import { ScheduleAlreadyExists, ScheduleNotFound } from "../errors.js";
import type { ScheduleRequest, Spec } from "../generated/schemas.js";

export const OWNER_LABEL = "belfry.owner";

/** A schedule beside its task. Members of a schedule definition that are not here may be added. */
export interface DeclaredSchedule
  extends Omit<ScheduleRequest, "name" | "spec" | "scheduleType" | "target" | "status" | "enabled"> {
  /** One or more cron expressions. */
  cron?: string | string[];
  /** A fixed interval, such as `PT5M` or `5m`. */
  every?: string;
  /** IANA time zone. Defaults to UTC. */
  timezone?: string;
  /** Times that `cron` and `every` cannot express. */
  spec?: Spec;
  /** Task to start. Defaults to the task that was registered last. */
  task?: string;
  /** Input of the task. */
  input?: unknown;
}

/** A schedule of that name exists, and another program or a person owns it. */
export class NotTheOwner extends Error {
  override readonly name = "NotTheOwner";

  constructor(readonly schedule: string, owner: string, actual: string | undefined) {
    super(`the schedule ${schedule} belongs to ${actual ?? "no worker"}, not to ${owner}: choose another name, `
      + `or set its label ${OWNER_LABEL} to ${owner}`);
  }
}

export function definitionOf(
  name: string, declared: DeclaredSchedule, target: { task: string; queue: string; owner: string },
): ScheduleRequest {
  const { cron, every, timezone, spec, task = target.task, input, ...others } = declared;
  return {
    ...others,
    name,
    spec: {
      ...spec,
      ...(cron !== undefined && { cron: [cron].flat() }),
      ...(every !== undefined && { intervals: [{ every }] }),
      ...(timezone !== undefined && { timezone }),
    },
    target: { type: "task", taskKind: task, queue: target.queue, ...(input !== undefined && { input }) },
    labels: { ...others.labels, [OWNER_LABEL]: target.owner },
  };
}

/** Creates or replaces the schedules. With `prune`, deletes those of the owner that are not declared. */
export async function applyDeclared(
  client: BelfryClient, owner: string, definitions: ScheduleRequest[], prune: boolean,
): Promise<void> {
  for (const definition of definitions) await applyOne(client, owner, definition);
  if (!prune) return;
  const declared = new Set(definitions.map(({ name }) => name));
  // The list is read to its end first: deleting would change the pages.
  const stale: string[] = [];
  for await (const { name } of client.iterSchedules({ label: `${OWNER_LABEL}:${owner}` })) {
    if (!declared.has(name)) stale.push(name);
  }
  for (const name of stale) {
    await client.deleteSchedule(name, { reason: `${owner} no longer declares it` }).catch(ignoreMissing);
  }
}

async function applyOne(client: BelfryClient, owner: string, definition: ScheduleRequest): Promise<void> {
  // Two workers may start at the same time: the second one finds the schedule of the first.
  for (let isLast = false; ; isLast = true) {
    try {
      const { labels } = await client.getSchedule(definition.name);
      if (labels[OWNER_LABEL] !== owner) throw new NotTheOwner(definition.name, owner, labels[OWNER_LABEL]);
      await client.replaceSchedule(definition.name, definition);
      return;
    } catch (error) {
      ignoreMissing(error);
    }
    try {
      await client.createSchedule(definition);
      return;
    } catch (error) {
      if (isLast || !(error instanceof ScheduleAlreadyExists)) throw error;
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ScheduleNotFound)) throw error;
}
