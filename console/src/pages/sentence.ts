// What a schedule does, in words. The sentence comes from the server; specs without a short form show their text.
import type { Schedule } from "belfry";

export function sentenceOf({ scheduleType, spec }: Pick<Schedule, "scheduleType" | "spec">): string {
  const zone = spec.timezone ?? "UTC";
  if (scheduleType?.description) {
    const sentence = scheduleType.description;
    return sentence.includes(zone) ? sentence : `${sentence}, in ${zone}`;
  }
  const parts = [
    ...(spec.cron ?? []).map((one) => `cron ${one}`),
    ...(spec.intervals ?? []).map((one) => `every ${one.every}`),
    ...(spec.at ?? []).map((one) => `at ${one}`),
    ...((spec.events ?? []).length > 0 ? ["on events"] : []),
  ];
  return `${parts.join("; ") || "never"}, in ${zone}`;
}

export function targetText({ target }: Pick<Schedule, "target">): string {
  if (target.type === "workflow")
    return `workflow ${target.workflowKind ?? ""}${target.version ? ` v${target.version}` : ""}`;
  if (target.taskKind === "http" || target.taskKind === "command") return `${target.taskKind} call`;
  return `task ${target.taskKind ?? ""}`;
}
