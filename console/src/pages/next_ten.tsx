// The next ten occurrences, as the server plans them, with marks for clock changes and guards.
import type { Forecast, PreviewRow } from "belfry";
import type { ReactNode } from "react";
import { dstText, skipText } from "../text/marks.js";
import { dateTime, readerZone, shortTime } from "../text/time.js";
import { Icon, Relative } from "../ui/basics.js";

export function Mark({ row }: { row: PreviewRow }): ReactNode {
  return (
    <>
      {row.decision === "skipped" && (
        <span className="mark skipped">
          <Icon name="skip" className="i glyph" />
          {skipText(row)}
        </span>
      )}
      {row.decision === "buffered" && (
        <span className="mark buffered">
          <Icon name="layers" className="i glyph" />
          will wait for the run before
        </span>
      )}
      {row.dst && (
        <span className="mark dst">
          <Icon name="dst" className="i glyph" />
          {dstText(row.dst, row.local)}
        </span>
      )}
    </>
  );
}

export function NextTen({ forecast }: { forecast: Forecast }): ReactNode {
  const { timezone: zone } = forecast;
  const mine = readerZone() === zone ? "UTC" : readerZone();
  return (
    <section className="card" aria-labelledby="next-h">
      <div className="card-h">
        <h2 id="next-h">Next ten</h2>
        <span className="note">computed by the server{forecast.tzdata ? ` · zone data ${forecast.tzdata}` : ""}</span>
      </div>
      {forecast.items.length === 0 ? (
        <p className="card-b soft">It has no further occurrence.</p>
      ) : (
        <table className="upcoming">
          <caption className="sr">The next ten occurrences</caption>
          <tbody>
            {forecast.items.map((row, at) => (
              <tr key={`${row.occurrence}${at}`} className={row.decision === "skipped" ? "not" : ""}>
                <td>
                  <span className={at === 0 ? "strong" : ""}>{dateTime(new Date(row.occurrence), zone)}</span>
                </td>
                <td className="muted hide-sm">{shortTime(new Date(row.occurrence), mine, { zone })}</td>
                <td>
                  {row.decision !== "skipped" && (
                    <span className="muted">
                      <Relative at={row.occurrence} />{" "}
                    </span>
                  )}
                  <Mark row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {forecast.warnings.map((warning) => (
        <p className="card-f mark skipped" key={warning}>
          <Icon name="warn" className="i glyph" />
          {warning}
        </p>
      ))}
    </section>
  );
}
