// The outcome strip: one slot per occurrence, newest right. Tall: it ran. Short: it did not. Failed is tallest.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { strip } from "../api/queries.js";
import { outcomeOf, summary } from "../text/outcome.js";

export const SLOTS = 20;

export function Strip({ id }: { id: string }): ReactNode {
  const { data } = useQuery(strip(id));
  const outcomes = (data ?? []).map((slot) => outcomeOf(slot.status, slot.reason));
  const empty = Array.from({ length: Math.max(0, SLOTS - outcomes.length) });
  return (
    <span className="strip" role="img" aria-label={data ? `Last ${SLOTS}: ${summary(outcomes)}` : "Last 20: loading"}>
      {empty.map((_, at) => (
        <i className="none" key={`none${at}`} />
      ))}
      {outcomes.map((outcome, at) => (
        <i className={outcome.look} key={at} />
      ))}
    </span>
  );
}

const KEYS = [
  ["succeeded", "ran"],
  ["failed", "failed"],
  ["skipped", "skipped"],
  ["missed", "missed"],
  ["buffered", "buffered"],
  ["awaiting", "awaiting approval"],
  ["running", "running"],
  ["queued", "queued"],
  ["paused", "paused"],
] as const;

export function StripLegend(): ReactNode {
  return (
    <div className="legend">
      {KEYS.map(([look, word]) => (
        <span key={look}>
          <i className={`key ${look}`} />
          {word}
        </span>
      ))}
    </div>
  );
}
