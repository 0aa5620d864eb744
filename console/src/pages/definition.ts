// The part of a schedule that a person writes. The server ignores what it sets itself, but a reader should not see it.
import type { Schedule, ScheduleRequest } from "belfry";

const MEMBERS = [
  "name",
  "description",
  "notes",
  "labels",
  "memo",
  "searchAttributes",
  "spec",
  "target",
  "assignee",
  "overlapPolicy",
  "maxConcurrency",
  "missedRunPolicy",
  "maxBackfill",
  "missedGrace",
  "missedWhilePaused",
  "workerLostPolicy",
  "retryPolicy",
  "failurePolicy",
  "approvalPolicy",
  "maxRuns",
  "calendars",
  "preDispatchCondition",
  "inputsTemplate",
  "inputsRotation",
  "signal",
  "breaker",
  "workflowAssignmentId",
] as const;

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

export function definitionOf(schedule: Schedule): ScheduleRequest {
  const kept = MEMBERS.map((name) => [name, schedule[name]] as const).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(kept) as unknown as ScheduleRequest;
}

export type Draft = Omit<ScheduleRequest, "id" | "tenant" | "version">;

export const NEW_DRAFT: Draft = {
  name: "",
  spec: { cron: ["0 9 * * *"], timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" },
  target: { type: "task", taskKind: "", input: {} },
  overlapPolicy: "skip",
  missedRunPolicy: "skip",
};
