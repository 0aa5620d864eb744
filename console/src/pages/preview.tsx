// Beside the form: the sentence and the next ten times of the draft, computed by the server while typing, and what
// changes among them.
import type { Forecast } from "belfry";
import type { ReactNode } from "react";
import { dateTime, readerZone, shortTime } from "../text/time.js";
import { Icon } from "../ui/basics.js";
import { Mark } from "./next_ten.js";

function changeOf(at: string, before: ReadonlySet<string> | undefined, end: number): ReactNode {
  if (!before) return null;
  if (before.has(at)) return <span className="chg muted">as now</span>;
  // Behind the tenth time of today's definition nothing is known about it.
  return Date.parse(at) > end ? null : (
    <span className="chg" style={{ color: "var(--accent-text)", fontWeight: 600 }}>
      new
    </span>
  );
}

export function Preview({
  forecast,
  before,
  error,
  stale,
}: {
  forecast: Forecast | undefined;
  before: Forecast | undefined;
  error: string | undefined;
  stale: boolean;
}): ReactNode {
  if (!forecast) {
    return (
      <section className="card" aria-labelledby="pv-h">
        <div className="card-h">
          <h2 id="pv-h">Preview</h2>
        </div>
        <div className="card-b">
          {error ? (
            <p className="error">
              <Icon name="warn" className="i i-12" />
              <span>{error}</span>
            </p>
          ) : (
            <p className="muted">Fill in when it runs, and the next times appear here.</p>
          )}
        </div>
      </section>
    );
  }
  const { timezone: zone } = forecast;
  const other = readerZone() === zone ? "UTC" : readerZone();
  const known = before && new Set(before.items.map((row) => row.occurrence));
  const end = Date.parse(before?.items.at(-1)?.occurrence ?? "");
  return (
    <section className={stale ? "card pv-stale" : "card"} aria-labelledby="pv-h">
      <div className="card-h">
        <h2 id="pv-h">Preview</h2>
        <span className="note">by the server{forecast.tzdata ? `, zone data ${forecast.tzdata}` : ""}</span>
      </div>
      <div className="card-b stack" style={{ gap: 4, paddingBottom: 12 }} aria-live="polite">
        <p className="answer">{forecast.description}</p>
        {error && (
          <p className="error">
            <Icon name="warn" className="i i-12" />
            <span>{error}</span>
          </p>
        )}
        {forecast.warnings.map((warning) => (
          <p className="mark skipped" key={warning}>
            <Icon name="warn" className="i glyph" />
            {warning}
          </p>
        ))}
      </div>
      <table className="pv">
        <caption className="sr">Next ten runs in two zones</caption>
        <thead>
          <tr>
            <th scope="col">{zone}</th>
            <th scope="col">{other}</th>
            {known && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {forecast.items.map((row, at) => [
            <tr key={`${row.occurrence}${at}`}>
              <td className={at === 0 ? "strong" : ""}>
                {row.decision === "skipped" ? (
                  <del>{dateTime(new Date(row.occurrence), zone)}</del>
                ) : (
                  dateTime(new Date(row.occurrence), zone)
                )}
              </td>
              <td className="muted">{shortTime(new Date(row.occurrence), other, { zone })}</td>
              {known && <td>{changeOf(row.occurrence, known, end)}</td>}
            </tr>,
            (row.decision === "skipped" || row.dst) && (
              <tr className="subline" key={`${row.occurrence}${at}m`}>
                <td colSpan={3} className="wrap">
                  <Mark row={row} />
                </td>
              </tr>
            ),
          ])}
        </tbody>
      </table>
      {forecast.items.length === 0 && <p className="card-b soft">It has no further occurrence.</p>}
    </section>
  );
}

export function WhatChanges({ before, after }: { before: Forecast; after: Forecast }): ReactNode {
  const first = before.items.find((row) => row.decision !== "skipped")?.occurrence;
  const next = after.items.find((row) => row.decision !== "skipped")?.occurrence;
  const now = new Set(before.items.map((row) => row.occurrence));
  const then = new Set(after.items.map((row) => row.occurrence));
  const end = Math.min(
    Date.parse(before.items.at(-1)?.occurrence ?? "") || Infinity,
    Date.parse(after.items.at(-1)?.occurrence ?? "") || Infinity,
  );
  const gone = [...now].filter((at) => !then.has(at) && Date.parse(at) <= end).length;
  const added = [...then].filter((at) => !now.has(at) && Date.parse(at) <= end).length;
  const text = (at: string | undefined): ReactNode => (
    <b className="strong">{at ? dateTime(new Date(at), after.timezone) : "never"}</b>
  );
  return (
    <section className="card" aria-labelledby="df-h">
      <div className="card-h">
        <h2 id="df-h">What changes</h2>
        <span className="note">next ten, now and after saving</span>
      </div>
      <div className="card-b stack" style={{ gap: 8 }}>
        {gone + added === 0 && first === next ? (
          <p className="soft">The next ten times stay as they are.</p>
        ) : (
          <p className="soft">
            {first === next ? (
              <>The next run stays {text(next)}. </>
            ) : (
              <>
                The next run moves from {text(first)} to {text(next)}.{" "}
              </>
            )}
            Until {dateTime(new Date(Number.isFinite(end) ? end : Date.now()), after.timezone)}: {added} new, {gone}{" "}
            gone.
          </p>
        )}
        <p className="small muted">Saving starts nothing by itself.</p>
      </div>
    </section>
  );
}
