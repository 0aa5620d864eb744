// Now: did everything run? What failed, was skipped or waits, what comes next, and the load of the next day.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Approval, Run } from "belfry";
import type { ReactNode } from "react";
import { approvals, hourLoad, nextHour, recentRuns, runCount, scheduleCount, tenant } from "../api/queries.js";
import type { Count } from "../api/queries.js";
import { useLive } from "../api/live.js";
import type { Outcome } from "../text/outcome.js";
import { outcomeOf } from "../text/outcome.js";
import { abbreviation, clock, dateTime, fullDateTime, readerZone } from "../text/time.js";
import { Icon, number, Relative, useNow } from "../ui/basics.js";
import { Empty, Loaded } from "../ui/states.js";
import { Strip } from "../ui/strip.js";
import { RunNowButton } from "./actions.js";
import { DayLoad } from "./day_load.js";
import { sentenceOf } from "./sentence.js";

const countText = (count: Count | undefined): string =>
  count ? `${number(count.count)}${count.more ? "+" : ""}` : "–";

function Counters(): ReactNode {
  const total = useQuery(tenant()).data?.usage.schedules;
  const [active, paused] = useQueries({ queries: [scheduleCount("active"), scheduleCount("paused")] });
  const [running, queued, awaiting, failed] = useQueries({
    queries: [runCount("running"), runCount("queued"), runCount("awaiting_approval"), recentRuns("failed", 24)],
  });
  const failing = failed.data && new Set(failed.data.items.map((run) => run.scheduleId)).size;
  return (
    <section className="counters" aria-label="Counters">
      <Link to="/schedule" search={{ status: "active" }}>
        <span>Active</span>
        <b>{countText(active.data)}</b>
        <small>{total === undefined ? "" : `of ${number(total)} schedules`}</small>
      </Link>
      <Link to="/schedule" search={{ status: "paused" }}>
        <span className="paused">
          <Icon name="pause" className="i glyph" />
          Paused
        </span>
        <b>{countText(paused.data)}</b>
        <small>fire nothing</small>
      </Link>
      <Link to="/runs" search={{ status: "failed" }}>
        <span className="failed">
          <Icon name="x" className="i glyph" />
          Failed
        </span>
        <b>
          {failing === undefined ? "–" : number(failing)}
          {failed.data?.nextCursor ? "+" : ""}
        </b>
        <small>schedules, last 24 h</small>
      </Link>
      <Link to="/runs" search={{ status: "running" }}>
        <span className="running">
          <Icon name="ring" className="i glyph" />
          Running
        </span>
        <b>{countText(running.data)}</b>
        <small>runs</small>
      </Link>
      <Link to="/runs" search={{ status: "queued" }}>
        <span className="queued">
          <Icon name="dots" className="i glyph" />
          Queued
        </span>
        <b>{countText(queued.data)}</b>
        <small>wait for a worker</small>
      </Link>
      <Link to="/approvals" search={{}}>
        <span className="awaiting">
          <Icon name="approve" className="i glyph" />
          Awaiting approval
        </span>
        <b>{countText(awaiting.data)}</b>
        <small>runs</small>
      </Link>
    </section>
  );
}

interface Attention {
  key: string;
  outcome: Outcome;
  name: string;
  scheduleId: string | null;
  at: string;
  text: ReactNode;
  action: ReactNode;
}

/** The newest run of each schedule, with the number of others like it. */
function bySchedule(runs: readonly Run[]): (Run & { others: number })[] {
  const found = new Map<string, Run & { others: number }>();
  for (const run of runs) {
    const known = found.get(run.scheduleId);
    if (known) known.others += 1;
    else found.set(run.scheduleId, { ...run, others: 0 });
  }
  return [...found.values()];
}

function ofRun(run: Run & { others: number }): Attention {
  const outcome = outcomeOf(run.status, run.reason);
  const others = run.others > 0 ? ` · ${run.others} more in 24 h` : "";
  return {
    key: `${run.status}${run.scheduleId}`,
    outcome,
    name: run.scheduleName,
    scheduleId: run.scheduleId,
    at: run.scheduledAt,
    text:
      run.status === "skipped" ? (
        <>
          {run.detail ?? "Skipped"} (<span className="reason">{run.reason}</span>){others}
        </>
      ) : (
        <>
          {run.error ?? run.detail ?? "No reason was reported"}
          {others}
        </>
      ),
    action:
      run.status === "skipped" ? (
        <Link
          className="btn btn-sm act"
          to="/schedule/$name"
          params={{ name: run.scheduleName }}
          search={{ at: run.scheduledAt }}
        >
          See why
        </Link>
      ) : (
        <Link className="btn btn-sm act" to="/run/$run" params={{ run: run.id }} search={{}}>
          Open run
        </Link>
      ),
  };
}

function ofApproval(one: Approval): Attention {
  return {
    key: `approval${one.runId}${one.node ?? ""}`,
    outcome: outcomeOf("awaiting_approval", null),
    name: one.scheduleName ?? "A run",
    scheduleId: one.scheduleId,
    at: one.requestedAt,
    text: (
      <>
        {one.node ? (
          <>
            Node <b className="strong">{one.node}</b>
          </>
        ) : (
          "The run"
        )}{" "}
        waits
        {one.action && (
          <>
            {" "}
            to <b className="strong">{one.action}</b>
          </>
        )}
        . Expires <Relative at={one.expiresAt} />
      </>
    ),
    action: (
      <Link className="btn btn-sm act" to="/approvals" search={{ run: one.runId, node: one.node ?? undefined }}>
        Review
      </Link>
    ),
  };
}

function NeedsAttention(): ReactNode {
  const [failed, timedOut, skipped, waiting] = useQueries({
    queries: [recentRuns("failed", 24), recentRuns("timed_out", 24), recentRuns("skipped", 24), approvals("pending")],
  });
  const list: Attention[] = [
    ...bySchedule(failed.data?.items ?? []).map(ofRun),
    ...bySchedule(timedOut.data?.items ?? []).map(ofRun),
    ...(waiting.data?.items ?? []).map(ofApproval),
    ...bySchedule((skipped.data?.items ?? []).filter((run) => run.reason !== "calendar")).map(ofRun),
  ];
  const shown = list.slice(0, 12);
  return (
    <section className="card" aria-labelledby="attn">
      <div className="card-h">
        <h2 id="attn">Needs attention</h2>
        <span className="note">last 24 h · most urgent first</span>
        <div className="push row small muted hide-sm">
          <span>last 20, newest right</span>
        </div>
      </div>
      <Loaded query={failed} what="Failed runs">
        {() =>
          shown.length === 0 ? (
            <Empty title="Nothing needs you">
              In the last 24 hours every occurrence ran, and nothing waits for an approval.
            </Empty>
          ) : (
            <ul className="attn">
              {shown.map((one) => (
                <li className={one.outcome.look} key={one.key} data-row>
                  <span className="badge-ico">
                    <Icon name={one.outcome.glyph} className="i glyph" />
                  </span>
                  <div>
                    <div className="head">
                      <Link className="name" to="/schedule/$name" params={{ name: one.name }} search={{}}>
                        {one.name}
                      </Link>
                      <span className="what">{one.outcome.word}</span>
                      <time dateTime={one.at}>
                        <Relative at={one.at} /> · {dateTime(new Date(one.at), readerZone())}
                      </time>
                    </div>
                    <p>{one.text}</p>
                  </div>
                  <div className="strip-c">{one.scheduleId && <Strip id={one.scheduleId} />}</div>
                  {one.action}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function HourLine(): ReactNode {
  const { data } = useQuery(hourLoad());
  if (!data) return null;
  const most = Math.max(1, ...data.buckets.map((bucket) => bucket.fires));
  const zone = readerZone();
  const busiest = data.busiest ? `Most at ${clock(new Date(data.busiest.at), zone)}: ${data.busiest.fires}.` : "None.";
  return (
    <div className="card-b" style={{ paddingBottom: 12 }}>
      <div className="hourline" role="img" aria-label={`Planned runs per minute of the next hour. ${busiest}`}>
        {data.buckets.map((bucket) => (
          <i
            key={bucket.at}
            className={bucket.fires === 0 ? "z" : bucket.fires === most ? "hot" : ""}
            style={{ "--n": (bucket.fires / most) * 6 } as React.CSSProperties}
          />
        ))}
      </div>
      <div className="axis">
        <span style={{ left: 0 }}>now</span>
        <span style={{ right: 0 }}>
          {clock(new Date(data.to), zone)} {abbreviation(new Date(data.to), zone)}
        </span>
      </div>
    </div>
  );
}

function NextHour(): ReactNode {
  const next = useQuery(nextHour());
  const fires = useQuery(hourLoad()).data?.fires;
  return (
    <section className="card" aria-labelledby="nexth">
      <div className="card-h">
        <h2 id="nexth">Next hour</h2>
        {fires !== undefined && (
          <span className="note">
            {number(fires)} {fires === 1 ? "run" : "runs"} planned
          </span>
        )}
      </div>
      <HourLine />
      <Loaded query={next} what="The next hour" rows={3}>
        {(page) =>
          page.items.length === 0 ? (
            <Empty title="A quiet hour">No schedule fires within the next hour.</Empty>
          ) : (
            <ul className="next">
              {page.items.map(
                (one) =>
                  one.nextRunAt && (
                    <li key={one.id}>
                      <div className="two">
                        <span className="strong">
                          <Relative at={one.nextRunAt} />
                        </span>
                        <small>
                          <time dateTime={one.nextRunAt}>
                            {clock(new Date(one.nextRunAt), one.spec.timezone ?? "UTC")}{" "}
                            {abbreviation(new Date(one.nextRunAt), one.spec.timezone ?? "UTC")}
                          </time>
                        </small>
                      </div>
                      <div style={{ minWidth: 0 }}>
                        <Link className="name" to="/schedule/$name" params={{ name: one.name }} search={{}}>
                          {one.name}
                        </Link>
                        <div className="small muted ellipsis">{sentenceOf(one)}</div>
                      </div>
                      <div className="acts">
                        <RunNowButton name={one.name} small />
                      </div>
                    </li>
                  ),
              )}
            </ul>
          )
        }
      </Loaded>
      <div className="card-f">
        <Link className="small" to="/schedule" search={{ sort: "nextRunAt" }}>
          All, soonest first
        </Link>
      </div>
    </section>
  );
}

export function NowPage(): ReactNode {
  const now = useNow();
  const { connected } = useLive();
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Now</h1>
          <p className="muted">
            {fullDateTime(new Date(Math.floor(now.getTime() / 60_000) * 60_000), readerZone())}
            {connected ? " · live" : ""}
          </p>
        </div>
        <div className="actions">
          <Link className="btn btn-primary" to="/new">
            <Icon name="plus" />
            New schedule
          </Link>
        </div>
      </div>
      <Counters />
      <div className="cols cols-main">
        <NeedsAttention />
        <NextHour />
      </div>
      <DayLoad />
    </>
  );
}
