// The nine looks of an outcome: a class for its colour and shape, a glyph and a word.
import type { Run } from "belfry";
import type { IconName } from "../ui/icons.js";

export type Look =
  | "succeeded"
  | "running"
  | "queued"
  | "failed"
  | "skipped"
  | "buffered"
  | "awaiting"
  | "missed"
  | "paused";

export interface Outcome {
  look: Look;
  word: string;
  glyph: IconName;
}

const BY_STATUS: Record<Run["status"], Outcome> = {
  succeeded: { look: "succeeded", word: "Succeeded", glyph: "check" },
  running: { look: "running", word: "Running", glyph: "ring" },
  queued: { look: "queued", word: "Queued", glyph: "dots" },
  failed: { look: "failed", word: "Failed", glyph: "x" },
  timed_out: { look: "failed", word: "Timed out", glyph: "x" },
  skipped: { look: "skipped", word: "Skipped", glyph: "skip" },
  buffered: { look: "buffered", word: "Buffered", glyph: "layers" },
  awaiting_approval: { look: "awaiting", word: "Awaiting approval", glyph: "approve" },
  cancelled: { look: "paused", word: "Cancelled", glyph: "x" },
  terminated: { look: "paused", word: "Terminated", glyph: "x" },
};

/** A skip because of downtime is missed; one while paused is paused. */
export function outcomeOf(status: Run["status"], reason: string | null): Outcome {
  if (status === "skipped" && reason === "missed_run") return { look: "missed", word: "Missed", glyph: "missed" };
  if (status === "skipped" && reason === "status_not_triggerable")
    return { look: "paused", word: "While paused", glyph: "pause" };
  return BY_STATUS[status];
}

/** Counts in the order of their first appearance: `18 succeeded, 2 failed`. */
export function summary(outcomes: readonly Outcome[]): string {
  const counts = new Map<string, number>();
  for (const { word } of outcomes) counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ") || "no occurrence yet";
}

const CAUSES: Record<Run["cause"], string> = {
  tick: "schedule",
  backfill: "backfill",
  trigger: "by hand",
  event: "event",
  start: "start",
};
export const causeText = (cause: Run["cause"]): string => CAUSES[cause];
