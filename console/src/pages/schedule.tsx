// One schedule: the answer first, then runs, configuration and history.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Run, Schedule, ScheduleHealth } from "belfry";
import type { ReactNode } from "react";
import { useState } from "react";
import { ledger, nextTen, schedule as scheduleQuery, scheduleHealth } from "../api/queries.js";
import { client } from "../api/session.js";
import { dateTime, duration, fullDateTime, withTimes } from "../text/time.js";
import { CopyButton, Icon, inReaderZone, Json, Labels, Relative } from "../ui/basics.js";
import { Empty, Loaded } from "../ui/states.js";
import { DeleteDialog, isNotFound, PauseDialog, RunNowButton, useResume } from "./actions.js";
import { BackfillDialog, Backfills } from "./backfill.js";
import { definitionOf } from "./definition.js";
import { History } from "./history.js";
import { Ledger } from "./ledger.js";
import { NextTen } from "./next_ten.js";
import { RunsList, StateFilter } from "./runs.js";
import { RunsTable } from "./runs_table.js";
import { sentenceOf, targetText } from "./sentence.js";
import { WhyPanel } from "./why.js";

const route = getRouteApi("/schedule/$name");
const zoneOf = (one: Schedule): string => one.spec.timezone ?? "UTC";

const STATE_LOOK = { active: "succeeded", paused: "paused", completed: "paused", deleted: "paused" } as const;
const STATE_ICON = { active: "check", paused: "pause", completed: "check", deleted: "trash" } as const;

function StateChip({ one }: { one: Schedule }): ReactNode {
  if (one.breakerState === "open")
    return (
      <span className="chip failed">
        <Icon name="x" className="i glyph" />
        Stopped by its breaker
      </span>
    );
  return (
    <span className={`chip ${STATE_LOOK[one.status]}`}>
      <Icon name={STATE_ICON[one.status]} className="i glyph" />
      {one.status.replace(/^./, (first) => first.toUpperCase())}
    </span>
  );
}

function Head({ one }: { one: Schedule }): ReactNode {
  const [dialog, setDialog] = useState<"pause" | "backfill" | "delete">();
  const { resume, busy } = useResume();
  const close = (): void => setDialog(undefined);
  return (
    <div className="page-h">
      <div className="stack" style={{ gap: 6 }}>
        <div className="row row-wrap">
          <h1>{one.name}</h1>
          <StateChip one={one} />
          <Labels labels={one.labels} />
        </div>
        <p className="lede">
          {sentenceOf(one)}. Starts {targetText(one)}.{one.description && ` ${one.description}`}
        </p>
        {one.status === "paused" && (
          <p className="soft">
            Paused{one.pausedAt && <> since {dateTime(new Date(one.pausedAt), zoneOf(one))}</>}
            {one.pausedUntil && <>, until {dateTime(new Date(one.pausedUntil), zoneOf(one))}</>}
            {one.pauseReason && <>: “{one.pauseReason}”</>}
          </p>
        )}
        {one.unreadable && (
          <p className="error">
            <Icon name="warn" className="i i-12" />
            {one.unreadable}
          </p>
        )}
      </div>
      {one.status !== "deleted" && (
        <div className="actions">
          <RunNowButton name={one.name} />
          {one.status === "paused" || one.breakerState === "open" ? (
            <button className="btn" disabled={busy} onClick={() => resume([one])}>
              <Icon name="play" />
              Resume
            </button>
          ) : (
            <button className="btn" onClick={() => setDialog("pause")}>
              <Icon name="pause" />
              Pause
            </button>
          )}
          <button className="btn" onClick={() => setDialog("backfill")}>
            <Icon name="backfill" />
            Backfill
          </button>
          <Link className="btn" to="/schedule/$name/edit" params={{ name: one.name }}>
            <Icon name="edit" />
            Edit
          </Link>
          <button className="btn btn-danger" onClick={() => setDialog("delete")}>
            <Icon name="trash" />
            Delete
          </button>
        </div>
      )}
      {dialog === "pause" && <PauseDialog schedules={[one]} close={close} />}
      {dialog === "backfill" && <BackfillDialog schedule={one} close={close} />}
      {dialog === "delete" && <DeleteDialog schedules={[one]} close={close} />}
    </div>
  );
}

function NextRun({ one }: { one: Schedule }): ReactNode {
  const zone = zoneOf(one);
  const would = useQuery({ ...nextTen(one.id), enabled: one.status === "paused" }).data?.items[0]?.occurrence;
  if (!one.nextRunAt) {
    return (
      <div className="hero-next">
        <span className="small muted">Next run</span>
        <b>{one.status === "paused" ? "Paused" : "None"}</b>
        {one.status === "paused" && would && (
          <span className="soft">would next run {fullDateTime(new Date(would), zone)}</span>
        )}
      </div>
    );
  }
  const at = new Date(one.nextRunAt);
  const spread = one.nextOccurrence ? at.getTime() - Date.parse(one.nextOccurrence) : 0;
  return (
    <div className="hero-next">
      <span className="small muted">Next run</span>
      <b>
        <Relative at={one.nextRunAt} />
      </b>
      <span className="soft">{fullDateTime(at, zone)}</span>
      {spread !== 0 && one.nextOccurrence && (
        <span className="small muted">
          {dateTime(new Date(one.nextOccurrence), zone)} {spread > 0 ? "+" : "−"} {duration(Math.abs(spread))} spread
        </span>
      )}
      {inReaderZone(at, zone) && <span className="small muted">{inReaderZone(at, zone)}</span>}
    </div>
  );
}

const VERDICTS = {
  ok: ["succeeded", "check", "Ok"],
  warning: ["skipped", "warn", "Warning"],
  failing: ["failed", "x", "Failing"],
  paused: ["paused", "pause", "Paused"],
} as const;

function HealthCard({ health, zone }: { health: ScheduleHealth; zone: string }): ReactNode {
  const [look, icon, word] = VERDICTS[health.verdict];
  const ms = (value: number | null): string => (value === null ? "–" : duration(value));
  return (
    <section className="card after" aria-labelledby="health-h">
      <div className="card-h">
        <h2 id="health-h">Health</h2>
        <span className={`chip ${look} push`}>
          <Icon name={icon} className="i glyph" />
          {word}
        </span>
      </div>
      <div className="card-b stack" style={{ gap: 12 }}>
        {health.reasons.map((reason) => (
          <p className="soft" key={reason}>
            {withTimes(reason, zone)}
          </p>
        ))}
        <dl className="facts small">
          <dt>Failures in a row</dt>
          <dd>
            {health.consecutiveFailures} · breaker {health.breaker.replace("_", " ")}
          </dd>
          <dt>Lateness</dt>
          <dd>
            median {ms(health.latenessMedianMs)}, most {ms(health.latenessMostMs)}
          </dd>
          <dt>In flight</dt>
          <dd>
            {health.inFlight}, and {health.buffered} buffered
          </dd>
          <dt>Missed, 24 h</dt>
          <dd>{health.missedLastDay}</dd>
        </dl>
      </div>
    </section>
  );
}

function Overview({ one, at, choose }: { one: Schedule; at: string; choose: (at: string) => void }): ReactNode {
  const zone = zoneOf(one);
  const recent = useQuery({
    queryKey: ["runs", "first", one.id],
    queryFn: () => client().listScheduleRuns(one.id, { limit: 10 }),
  });
  const forecast = useQuery(nextTen(one.id));
  const health = useQuery(scheduleHealth(one.id));
  return (
    <div className="cols cols-main">
      <div className="stack" style={{ gap: 20 }}>
        <section className="card" aria-labelledby="runs-h">
          <div className="card-h">
            <h2 id="runs-h">Recent runs</h2>
            <span className="note">what was planned, what happened, and the reason</span>
            <Link className="push small" from="/schedule/$name" to="/schedule/$name" search={{ tab: "runs" }}>
              All runs
            </Link>
          </div>
          <Loaded query={recent} what="Runs">
            {(page) =>
              page.items.length === 0 ? (
                <Empty title="No runs yet">The first occurrence brings the first run.</Empty>
              ) : (
                <RunsTable runs={page.items as Run[]} zone={zone} at={at} />
              )
            }
          </Loaded>
        </section>
        <Loaded query={forecast} what="The next ten">
          {(data) => <NextTen forecast={data} />}
        </Loaded>
      </div>
      <div className="stack" style={{ gap: 20 }}>
        <WhyPanel schedule={one} at={at} choose={choose} />
        <Backfills schedule={one} />
        {health.data && <HealthCard health={health.data} zone={zone} />}
      </div>
    </div>
  );
}

function Configuration({ one }: { one: Schedule }): ReactNode {
  const zone = zoneOf(one);
  const definition = definitionOf(one);
  return (
    <section className="card" aria-labelledby="conf-h">
      <div className="card-h">
        <h2 id="conf-h">Configuration</h2>
        <span className="note">
          version {one.version} · changed {dateTime(new Date(one.updatedAt), zone)}
        </span>
        <span className="push">
          <CopyButton text={JSON.stringify(definition, null, 2)} label="Copy JSON" />
        </span>
      </div>
      <div className="card-b stack">
        <dl className="facts">
          <dt>When</dt>
          <dd>{sentenceOf(one)}</dd>
          <dt>Zone</dt>
          <dd>{zone}</dd>
          <dt>Starts</dt>
          <dd>
            {targetText(one)}
            {one.target.queue ? `, queue ${one.target.queue}` : ""}
          </dd>
          <dt>Overlap</dt>
          <dd className="mono">{one.overlapPolicy}</dd>
          <dt>After downtime</dt>
          <dd className="mono">{one.missedRunPolicy}</dd>
          <dt>Retries</dt>
          <dd>
            {one.retryPolicy.maxRetries ?? 0}
            {one.retryPolicy.backoffMs ? `, first after ${duration(one.retryPolicy.backoffMs)}` : ""}
          </dd>
          <dt>Approval</dt>
          <dd>
            {one.approvalPolicy.requiresApproval
              ? "every run waits for one"
              : (one.approvalPolicy.mode ?? "not needed")}
          </dd>
          <dt>Breaker</dt>
          <dd>{one.breaker ? `opens after ${one.breaker.maxConsecutiveFailures} failures in a row` : "none"}</dd>
          <dt>Calendars</dt>
          <dd>
            {one.calendars.length > 0
              ? one.calendars.map((name) => (
                  <Link key={name} to="/calendars" search={{ name }}>
                    {name}{" "}
                  </Link>
                ))
              : "none"}
          </dd>
          <dt>Runs so far</dt>
          <dd>
            {one.runCount}, of them {one.failuresCount} failed; {one.skippedTriggerCount} skipped
          </dd>
        </dl>
        <Json value={definition} label="Definition as JSON" />
      </div>
    </section>
  );
}

const TABS = [
  ["overview", "Overview"],
  ["runs", "Runs"],
  ["configuration", "Configuration"],
  ["history", "History"],
] as const;

function ScheduleView({ one }: { one: Schedule }): ReactNode {
  const { tab = "overview", at, status } = route.useSearch();
  const navigate = route.useNavigate();
  const newest = useQuery(ledger(one.id)).data?.at(-1)?.scheduledAt;
  const moment = at ?? newest ?? one.nextOccurrence ?? one.createdAt;
  const choose = (next: string): void =>
    void navigate({ search: (before) => ({ ...before, tab: undefined, at: next }), replace: true, resetScroll: false });
  return (
    <>
      <Head one={one} />
      <Ledger id={one.id} zone={zoneOf(one)} at={moment} choose={choose} next={<NextRun one={one} />} />
      <nav className="tabs" aria-label="Parts of the schedule">
        {TABS.map(([key, word]) => (
          <Link
            key={key}
            from="/schedule/$name"
            to="/schedule/$name"
            resetScroll={false}
            search={{ tab: key === "overview" ? undefined : key }}
            aria-current={key === tab ? "page" : undefined}
            aria-selected={undefined}
            data-on={key === tab}
          >
            {word}
          </Link>
        ))}
      </nav>
      {tab === "overview" && <Overview one={one} at={moment} choose={choose} />}
      {tab === "runs" && (
        <>
          <div className="filters">
            <StateFilter
              status={status}
              choose={(next) =>
                void navigate({ search: { tab: "runs", status: next }, replace: true, resetScroll: false })
              }
            />
          </div>
          <section className="card" aria-label="Runs">
            <RunsList schedule={one.id} status={status} zone={zoneOf(one)} />
          </section>
        </>
      )}
      {tab === "configuration" && <Configuration one={one} />}
      {tab === "history" && <History schedule={one.id} zone={zoneOf(one)} />}
    </>
  );
}

export function SchedulePage(): ReactNode {
  const { name } = route.useParams();
  const query = useQuery(scheduleQuery(name));
  if (!query.data && isNotFound(query.error)) {
    return (
      <Empty
        title={`There is no schedule ${name}`}
        actions={
          <Link className="btn" to="/schedule" search={{}}>
            All schedules
          </Link>
        }
      >
        It may have another name now, or it was deleted. A deleted schedule is found by its id only.
      </Empty>
    );
  }
  return (
    <Loaded query={query} what="The schedule" rows={8}>
      {(one) => <ScheduleView one={one} />}
    </Loaded>
  );
}
