// Small parts that every page uses: icons, chips, tags, times, copy.
import type { ReactNode } from "react";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Outcome } from "../text/outcome.js";
import { clock, dateTime, fullDateTime, abbreviation, readerZone, relative } from "../text/time.js";
import type { IconName } from "./icons.js";
import { ICONS } from "./icons.js";

export function Icon({ name, className = "i" }: { name: IconName; className?: string }): ReactNode {
  return (
    <svg
      className={className}
      viewBox="0 0 16 16"
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: ICONS[name] }}
    />
  );
}

export function Chip({ outcome }: { outcome: Outcome }): ReactNode {
  return (
    <span className={`chip ${outcome.look}`}>
      <Icon name={outcome.glyph} className="i glyph" />
      {outcome.word}
    </span>
  );
}

export function Labels({ labels }: { labels: Record<string, string> }): ReactNode {
  return Object.entries(labels).map(([key, value]) => (
    <span className="tag" key={key}>
      <b>{key}:</b>
      {value}
    </span>
  ));
}

// One timer for all relative times.
let now = new Date();
const listeners = new Set<() => void>();
setInterval(() => {
  now = new Date();
  for (const listener of listeners) listener();
}, 1000);

export function useNow(): Date {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
}

export function Relative({ at }: { at: string }): ReactNode {
  return relative(new Date(at), useNow());
}

/** `in 2 h 14 min` strong, the date with its zone grey, and the reader's zone in a third line when it differs. */
export function WhenCell({ at, zone }: { at: string; zone: string }): ReactNode {
  const when = new Date(at);
  return (
    <div className="two" title={inReaderZone(when, zone)}>
      <span className="strong">
        <Relative at={at} />
      </span>
      <span>
        <time dateTime={at}>{dateTime(when, zone)}</time>
      </span>
    </div>
  );
}

/** The same moment for the reader, or nothing when the zones agree at that moment. */
export function inReaderZone(at: Date, zone: string): string | undefined {
  const mine = readerZone();
  if (clock(at, mine) === clock(at, zone) && abbreviation(at, mine) === abbreviation(at, zone)) return undefined;
  return `${fullDateTime(at, mine)}, your zone`;
}

export function CopyButton({ text, label }: { text: string; label: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" className="btn btn-sm" onClick={copy}>
      <Icon name={copied ? "check" : "copy"} />
      <span role="status">{copied ? "Copied" : label}</span>
    </button>
  );
}

export function Json({ value, label }: { value: unknown; label: string }): ReactNode {
  return (
    <pre className="code json" tabIndex={0} aria-label={label}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

export const number = (value: number): string => value.toLocaleString("en-US");
