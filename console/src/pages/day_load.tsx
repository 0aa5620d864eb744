// The load of the next day: five-minute steps down, hours across, and the quieter minutes close to the busiest.
import { useQuery } from "@tanstack/react-query";
import type { Load, LoadBucket } from "belfry";
import type { ReactNode } from "react";
import { useState } from "react";
import { dayLoad } from "../api/queries.js";
import { abbreviation, clock, dateTime, readerZone } from "../text/time.js";
import { number } from "../ui/basics.js";
import { Loaded } from "../ui/states.js";

const STEPS = 12;
const NEAR = 6;

function level(fires: number, most: number): number {
  return fires === 0 ? 0 : Math.min(5, Math.max(1, Math.ceil((fires / Math.max(most, 5)) * 5)));
}

/** Buckets within half an hour of the busiest that plan less, fewest first. */
function quieter(load: Load): LoadBucket[] {
  const at = load.buckets.findIndex((bucket) => bucket.at === load.busiest?.at);
  if (at < 0 || !load.busiest) return [];
  const most = load.busiest.fires;
  return load.buckets
    .slice(Math.max(0, at - NEAR), at + NEAR + 1)
    .filter((bucket) => bucket.fires < most)
    .sort((one, other) => one.fires - other.fires)
    .slice(0, 3);
}

function Heat({ load }: { load: Load }): ReactNode {
  const zone = readerZone();
  const most = load.busiest?.fires ?? 0;
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const label = load.busiest
    ? `Busiest: ${dateTime(new Date(load.busiest.at), zone)} with ${load.busiest.fires} runs.`
    : "No runs are planned.";
  return (
    <div className="heat" role="img" aria-label={`Heatmap: hours across, five-minute steps down. ${label}`}>
      <span />
      {hours.map((hour) => (
        <span className="hr" key={hour}>
          {hour % 3 === 0 ? clock(new Date(load.buckets[hour * STEPS]?.at ?? load.from), zone).slice(0, 2) : ""}
        </span>
      ))}
      {Array.from({ length: STEPS }, (_, step) => [
        <span className="mi" key={`m${step}`}>
          {step % 3 === 0 ? `:${String(step * 5).padStart(2, "0")}` : ""}
        </span>,
        ...hours.map((hour) => {
          const bucket = load.buckets[hour * STEPS + step];
          const pick = bucket && bucket.at === load.busiest?.at && most > 0 ? " pick" : "";
          return <i key={`${hour}-${step}`} className={`h${level(bucket?.fires ?? 0, most)}${pick}`} />;
        }),
      ])}
    </div>
  );
}

function Quiet({ load }: { load: Load }): ReactNode {
  const zone = readerZone();
  if (!load.busiest || load.busiest.fires === 0)
    return <p className="soft">No runs are planned for the next 24 hours.</p>;
  const { busiest } = load;
  return (
    <div className="stack" style={{ gap: 12 }}>
      <div>
        <h3>{dateTime(new Date(busiest.at), zone)}</h3>
        <p className="soft">
          {number(busiest.fires)} {busiest.fires === 1 ? "run starts" : "runs start"} within five minutes, the most of
          the day.
        </p>
      </div>
      <div>
        <div className="small muted" style={{ marginBottom: 4 }}>
          Quieter minutes close to it
        </div>
        <ul className="quiet">
          {[busiest, ...quieter(load)].map((bucket) => (
            <li key={bucket.at}>
              <span className="strong">{clock(new Date(bucket.at), zone)}</span>
              <span className="meter">
                <i style={{ width: `${(bucket.fires / busiest.fires) * 100}%` }} />
              </span>
              <span className="muted">{number(bucket.fires)}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function LoadTable({ load }: { load: Load }): ReactNode {
  const zone = readerZone();
  return (
    <div className="scroll" style={{ maxHeight: 320 }} tabIndex={0} role="region" aria-label="Load as a table">
      <table className="table">
        <caption className="sr">Planned runs of the next 24 hours</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col" className="num">
              Runs
            </th>
          </tr>
        </thead>
        <tbody>
          {load.buckets
            .filter((bucket) => bucket.fires > 0)
            .map((bucket) => (
              <tr key={bucket.at}>
                <td>{dateTime(new Date(bucket.at), zone)}</td>
                <td className="num">{number(bucket.fires)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

export function DayLoad(): ReactNode {
  const load = useQuery(dayLoad());
  const [asTable, setAsTable] = useState(false);
  const zone = readerZone();
  return (
    <section className="card" aria-labelledby="load">
      <div className="card-h">
        <h2 id="load">Load, next 24 h</h2>
        <span className="note">
          runs planned per 5 minutes, before calendars, conditions and overlap · {abbreviation(new Date(), zone)}
        </span>
        {load.data && (
          <span className="heat-scale push small muted">
            0&nbsp;
            {[0, 1, 2, 3, 4, 5].map((step) => (
              <i key={step} style={{ background: `var(--heat-${step})` }} />
            ))}
            &nbsp;{load.data.busiest?.fires ?? 0}
          </span>
        )}
        <button className="link small" onClick={() => setAsTable(!asTable)}>
          {asTable ? "As a picture" : "As a table"}
        </button>
      </div>
      <Loaded query={load} what="The load">
        {(data) =>
          asTable ? (
            <LoadTable load={data} />
          ) : (
            <div className="card-b home-load">
              <Heat load={data} />
              <Quiet load={data} />
            </div>
          )
        }
      </Loaded>
      {load.data && !load.data.complete && (
        <p className="card-f small muted">
          There are more schedules than the server counts at once: the numbers are too low.
        </p>
      )}
    </section>
  );
}
