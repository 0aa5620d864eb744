// When it runs: several cron expressions, intervals and dates, the zone, calendars, spread and clock changes.
import { useQuery } from "@tanstack/react-query";
import type { Spec } from "belfry";
import type { ReactNode } from "react";
import { calendars } from "../api/queries.js";
import { instantOf, localInput } from "../text/time.js";
import { Choices, Field } from "../ui/overlays.js";
import { CronField } from "./cron_field.js";
import type { Draft } from "./definition.js";
import { ZoneBox } from "./zone_box.js";

interface Part {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  errorAt: (pointer: string) => string | undefined;
}

const replaced = <T,>(list: readonly T[], at: number, value: T): T[] =>
  list.map((one, other) => (other === at ? value : one));
const without = <T,>(list: readonly T[], at: number): T[] => list.filter((_, other) => other !== at);

function Calendars({ draft, change, errorAt }: Part): ReactNode {
  const { data } = useQuery(calendars());
  const chosen = draft.calendars ?? [];
  return (
    <div className="field">
      <span className="label" id="cal">
        Calendars <span className="opt">all must allow the date</span>
      </span>
      <div className="choices" role="group" aria-labelledby="cal">
        {(data?.items ?? []).slice(0, 40).map(({ name }) => (
          <button
            type="button"
            key={name}
            className="choice"
            aria-pressed={chosen.includes(name)}
            onClick={() =>
              change({ calendars: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name] })
            }
          >
            {name}
          </button>
        ))}
        {data?.items.length === 0 && <span className="hint">There are no calendars yet.</span>}
      </div>
      {errorAt("/calendars") && <p className="error">{errorAt("/calendars")}</p>}
    </div>
  );
}

export function WhenSection(part: Part): ReactNode {
  const { draft, change, errorAt } = part;
  const spec = draft.spec ?? {};
  const set = (next: Partial<Spec>): void => change({ spec: { ...spec, ...next } });
  const zone = spec.timezone ?? "UTC";
  const cron = spec.cron ?? [];
  const intervals = spec.intervals ?? [];
  const dates = spec.at ?? [];
  const alone = cron.length + intervals.length + dates.length < 2;
  return (
    <section className="form-sec" aria-labelledby="s2">
      <div className="sec-h">
        <span className="num">2</span>
        <h2 id="s2">When</h2>
        <span className="push" />
        <button type="button" className="link" onClick={() => set({ cron: [...cron, "0 12 * * *"] })}>
          + Cron
        </button>
        <button type="button" className="link" onClick={() => set({ intervals: [...intervals, { every: "6h" }] })}>
          + Interval
        </button>
        <button
          type="button"
          className="link"
          onClick={() => set({ at: [...dates, new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString()] })}
        >
          + Date
        </button>
      </div>
      {cron.map((one, at) => (
        <CronField
          key={`c${at}`}
          value={one}
          error={errorAt(`/spec/cron/${at}`)}
          change={(value) => set({ cron: replaced(cron, at, value) })}
          remove={alone ? undefined : () => set({ cron: without(cron, at) })}
        />
      ))}
      {intervals.map((one, at) => (
        <div className="row" key={`i${at}`} style={{ alignItems: "start" }}>
          <Field label="Every" hint="6h, 90m, PT30M" error={errorAt(`/spec/intervals/${at}`)}>
            {(ids) => (
              <input
                className="input"
                value={one.every}
                onChange={(event) => set({ intervals: replaced(intervals, at, { ...one, every: event.target.value }) })}
                {...ids}
              />
            )}
          </Field>
          <Field label="Offset" optional="optional">
            {(ids) => (
              <input
                className="input"
                value={one.offset ?? ""}
                onChange={(event) =>
                  set({ intervals: replaced(intervals, at, { ...one, offset: event.target.value || null }) })
                }
                {...ids}
              />
            )}
          </Field>
          {!alone && (
            <button type="button" className="link small" onClick={() => set({ intervals: without(intervals, at) })}>
              Remove
            </button>
          )}
        </div>
      ))}
      {dates.map((one, at) => (
        <div className="row" key={`d${at}`} style={{ alignItems: "start" }}>
          <Field label="Once, at" optional={zone} error={errorAt(`/spec/at/${at}`)}>
            {(ids) => (
              <input
                className="input"
                type="datetime-local"
                step="1"
                value={localInput(new Date(one), zone)}
                onChange={(event) => {
                  const when = instantOf(event.target.value, zone);
                  if (when) set({ at: replaced(dates, at, when.toISOString()) });
                }}
                {...ids}
              />
            )}
          </Field>
          {!alone && (
            <button type="button" className="link small" onClick={() => set({ at: without(dates, at) })}>
              Remove
            </button>
          )}
        </div>
      ))}
      {errorAt("/spec") && cron.length + intervals.length + dates.length === 0 && (
        <p className="error">{errorAt("/spec")}</p>
      )}
      <div className="grid-2">
        <ZoneBox value={zone} choose={(timezone) => set({ timezone })} error={errorAt("/spec/timezone")} />
        <Field
          label="Spread"
          optional="optional"
          hint="up to this much later, the same for each occurrence: 5m"
          error={errorAt("/spec/jitter")}
        >
          {(ids) => (
            <input
              className="input"
              value={spec.jitter?.after ?? ""}
              onChange={(event) =>
                set({ jitter: event.target.value ? { ...spec.jitter, after: event.target.value } : undefined })
              }
              {...ids}
            />
          )}
        </Field>
      </div>
      <Calendars {...part} />
      <div className="field">
        <span className="label">When clocks change</span>
        <div className="row row-wrap">
          <span className="small muted" style={{ width: 96 }}>
            missing time
          </span>
          <Choices
            label="A time that does not exist"
            value={spec.dst?.gap ?? "shift"}
            choose={(gap) => set({ dst: { ...spec.dst, gap } })}
            choices={[
              ["shift", "runs after it"],
              ["skip", "skip"],
            ]}
          />
        </div>
        <div className="row row-wrap">
          <span className="small muted" style={{ width: 96 }}>
            repeated time
          </span>
          <Choices
            label="A time that happens twice"
            value={spec.dst?.repeat ?? "auto"}
            choose={(repeat) => set({ dst: { ...spec.dst, repeat } })}
            choices={[
              ["auto", "auto"],
              ["first", "first"],
              ["last", "last"],
              ["both", "both"],
            ]}
          />
        </div>
      </div>
    </section>
  );
}
