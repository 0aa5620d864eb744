// What a clock change or a guard means for an occurrence, in words.
import type { DstMark, PreviewRow } from "belfry";

const clockOf = (local: string): string => local.slice(11, 16);

function dateOf(local: string): string {
  const at = new Date(`${local.slice(0, 10)}T00:00:00Z`);
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }).format(at);
}

/** `02:30 does not exist on 28 Mar → runs 03:00`. */
export function dstText(mark: DstMark, local: string): string {
  const nominal = clockOf(mark.nominal);
  const date = dateOf(mark.nominal);
  switch (mark.kind) {
    case "shifted":
      return `${nominal} does not exist on ${date} → runs ${clockOf(local)}`;
    case "first_pass":
      return `${nominal} happens twice on ${date} → runs once, the first time`;
    case "last_pass":
      return `${nominal} happens twice on ${date} → runs once, the last time`;
    case "both_first":
      return `${nominal} happens twice on ${date} → runs both times, this is the first`;
    case "both_second":
      return `${nominal} happens twice on ${date} → runs both times, this is the second`;
  }
}

/** `skipped – 25 Dec (us-federal-holidays-2026)`. */
export function skipText(row: Pick<PreviewRow, "reason" | "detail" | "local">): string {
  if (row.reason === "calendar") return `skipped – ${dateOf(row.local)}${row.detail ? ` (${row.detail})` : ""}`;
  return `will skip: ${row.reason ?? row.detail ?? "a guard refuses"}`;
}
