// The last 100 occurrences: runs stand on the line with their duration as height, what did not run hangs below.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import type { Slot } from "../api/queries.js";
import { ledger } from "../api/queries.js";
import type { Look } from "../text/outcome.js";
import { outcomeOf } from "../text/outcome.js";
import { dateTime, day, duration } from "../text/time.js";

const SHOWN_ON_PHONES = 50;
const took = (slot: Slot): number =>
  slot.startedAt ? (slot.completedAt ? Date.parse(slot.completedAt) : Date.now()) - Date.parse(slot.startedAt) : 0;

function Legend({
  slots,
  only,
  choose,
}: {
  slots: readonly Slot[];
  only: Look | undefined;
  choose: (look: Look | undefined) => void;
}): ReactNode {
  const counts = new Map<Look, { word: string; count: number }>();
  for (const slot of slots) {
    const { look, word } = outcomeOf(slot.status, slot.reason);
    const known = counts.get(look);
    counts.set(look, { word: known?.word ?? word.toLowerCase(), count: (known?.count ?? 0) + 1 });
  }
  return (
    <div className="legend" role="group" aria-label="Show only one outcome">
      {[...counts].map(([look, { word, count }]) => (
        <button
          key={look}
          className="link"
          style={{ color: "inherit", fontWeight: only === look ? 600 : 400 }}
          aria-pressed={only === look}
          onClick={() => choose(only === look ? undefined : look)}
        >
          <i className={`key ${look}`} />
          <b>{count}</b>
          {word}
        </button>
      ))}
    </div>
  );
}

export function Ledger({
  id,
  zone,
  at,
  choose,
  next,
}: {
  id: string;
  zone: string;
  at: string | undefined;
  choose: (at: string) => void;
  next: ReactNode;
}): ReactNode {
  const { data: slots = [] } = useQuery(ledger(id));
  const [only, setOnly] = useState<Look>();
  const longest = Math.max(1, ...slots.map(took));
  const selected = slots.findIndex((slot) => slot.scheduledAt === at);
  const move = (event: React.KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -slots.length, End: slots.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = selected < 0 ? slots.length - 1 : selected;
    const to = Math.min(Math.max(from + step, 0), slots.length - 1);
    const slot = slots[to];
    if (!slot) return;
    choose(slot.scheduledAt);
    event.currentTarget.querySelectorAll<HTMLElement>('[role="option"]')[to]?.focus();
  };
  const first = slots[0];
  const last = slots.at(-1);
  return (
    <section className="card" aria-labelledby="ledger-h">
      <div className="card-b stack" style={{ gap: 16 }}>
        <div className="hero">
          <div className="stack" style={{ gap: 10 }}>
            <h2 id="ledger-h">Did it run? The last {slots.length === 100 ? "100 occurrences" : "occurrences"}</h2>
            <Legend slots={slots} only={only} choose={setOnly} />
          </div>
          {next}
        </div>
        {slots.length === 0 ? (
          <p className="soft">No occurrence has been decided yet.</p>
        ) : (
          <div>
            <div
              className="ledger"
              role="listbox"
              aria-label="Occurrences, oldest first. Arrow keys move."
              aria-orientation="horizontal"
              onKeyDown={move}
            >
              {slots.map((slot, index) => {
                const outcome = outcomeOf(slot.status, slot.reason);
                const focusable = selected < 0 ? index === slots.length - 1 : index === selected;
                return (
                  <button
                    key={slot.id}
                    role="option"
                    aria-selected={index === selected}
                    tabIndex={focusable ? 0 : -1}
                    onClick={() => choose(slot.scheduledAt)}
                    className={`slot ${outcome.look}${index < slots.length - SHOWN_ON_PHONES ? " old" : ""}`}
                    title={`${outcome.word}, ${dateTime(new Date(slot.scheduledAt), zone)}`}
                    aria-label={`${outcome.word}, ${dateTime(new Date(slot.scheduledAt), zone)}`}
                    style={
                      {
                        "--h": 0.18 + 0.66 * (took(slot) / longest),
                        opacity: only && only !== outcome.look ? 0.2 : 1,
                        maxWidth: 24,
                      } as React.CSSProperties
                    }
                  />
                );
              })}
            </div>
            <div className="axis">
              {first && <span style={{ left: 0 }}>{day(new Date(first.scheduledAt), zone)}</span>}
              {last && slots.length > 30 && <span style={{ right: 0 }}>{day(new Date(last.scheduledAt), zone)}</span>}
            </div>
          </div>
        )}
        {slots.length > 0 && (
          <p className="small muted">
            Height is how long a run took{longest > 1 && <>, the tallest {duration(longest)}</>}. What did not run hangs
            below the line.
            {slots.length > SHOWN_ON_PHONES && <span className="show-sm"> The newest 50 are shown.</span>}
          </p>
        )}
      </div>
    </section>
  );
}
