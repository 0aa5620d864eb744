// One run: when it was planned, dispatched and started, its nodes as a graph and on a timeline, events, decisions.
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Run, RunEvent, WalkNode } from "belfry";
import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { run as runQuery, runApprovals, runEvents, runNodes, schedule as scheduleQuery } from "../api/queries.js";
import { client } from "../api/session.js";
import { causeText, outcomeOf } from "../text/outcome.js";
import { clock, dateTime, duration, fullDateTime, lag } from "../text/time.js";
import { Chip, Icon, Json, number, Relative, useNow } from "../ui/basics.js";
import { Dialog, Field, toast } from "../ui/overlays.js";
import { Loaded } from "../ui/states.js";
import { failed, refreshAll } from "./actions.js";
import { askedFor, Decision, whyText } from "./decide.js";
import { Dag } from "./dag.js";
import { NodeCard, nodeOutcome } from "./run_node.js";
import { Timeline } from "./run_timeline.js";

const route = getRouteApi("/run/$run");

function CancelDialog({ run, close }: { run: Run; close: () => void }): ReactNode {
  const [reason, setReason] = useState("");
  const cancel = useMutation({
    mutationFn: (hard: boolean) =>
      hard
        ? client().terminateRun(run.id, { reason: reason || undefined })
        : client().cancelRun(run.id, { reason: reason || undefined }),
    onSuccess: (_, hard) => {
      toast("succeeded", hard ? "The run was terminated" : "The run is being cancelled");
      refreshAll();
      close();
    },
    onError: failed("The run was not cancelled"),
  });
  return (
    <Dialog
      title="Cancel this run"
      intro={`${run.scheduleName}, ${fullDateTime(new Date(run.scheduledAt), "UTC")}`}
      close={close}
      footer={
        <>
          <button className="btn btn-primary" disabled={cancel.isPending} onClick={() => cancel.mutate(false)}>
            <Icon name="stop" />
            Cancel run
          </button>
          <button className="btn btn-danger" disabled={cancel.isPending} onClick={() => cancel.mutate(true)}>
            Terminate at once
          </button>
          <button className="btn btn-ghost" onClick={close}>
            Keep it
          </button>
        </>
      }
    >
      <Field label="Why?" optional="kept with the run">
        {(ids) => (
          <textarea
            className="textarea"
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            {...ids}
          />
        )}
      </Field>
      <div className="effect">
        <p className="small soft">
          Cancel asks the workers to stop, so that they can clean up. Terminate ends the run now. Later occurrences of
          the schedule are not affected.
        </p>
      </div>
    </Dialog>
  );
}

function Times({ run, zone, deadline }: { run: Run; zone: string; deadline: string | null | undefined }): ReactNode {
  const now = useNow().getTime();
  const started = run.startedAt ? Date.parse(run.startedAt) : undefined;
  const seconds = (at: string): string => clock(new Date(at), zone, true);
  return (
    <dl className="card times">
      <div>
        <dt>Planned</dt>
        <dd>
          {dateTime(new Date(run.scheduledAt), zone)} <small>{zone}</small>
        </dd>
      </div>
      <div>
        <dt>{run.status === "skipped" ? "Decided" : "Dispatched"}</dt>
        <dd>
          {seconds(run.decidedAt)}{" "}
          <small>{run.cause === "tick" ? lag(run.fireAt, run.decidedAt) : causeText(run.cause)}</small>
        </dd>
      </div>
      <div>
        <dt>Started</dt>
        <dd>
          {run.startedAt ? (
            <>
              {seconds(run.startedAt)} <small>{lag(run.decidedAt, run.startedAt)}</small>
            </>
          ) : (
            "–"
          )}
        </dd>
      </div>
      <div>
        <dt>{run.completedAt ? "Took" : "Running for"}</dt>
        <dd>
          {started === undefined ? "–" : duration((run.completedAt ? Date.parse(run.completedAt) : now) - started)}
        </dd>
      </div>
      <div>
        <dt>{run.completedAt ? "Ended" : "Must end by"}</dt>
        <dd>
          {run.completedAt
            ? dateTime(new Date(run.completedAt), zone)
            : deadline
              ? dateTime(new Date(deadline), zone)
              : "–"}
        </dd>
      </div>
    </dl>
  );
}

const EVENT_LOOK: Record<string, string> = {
  succeeded: "succeeded",
  completed: "succeeded",
  failed: "failed",
  timed_out: "failed",
  started: "running",
  skipped: "skipped",
  approval: "awaiting",
  requested: "awaiting",
};

function lookOf(event: RunEvent): string {
  const found = Object.keys(EVENT_LOOK).find((word) => event.type.toLowerCase().includes(word));
  return found ? (EVENT_LOOK[found] ?? "queued") : "queued";
}

const eventWords = (type: string): string =>
  type
    .replace(/^[a-z]+\./, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/_/g, " ")
    .toLowerCase();

function Events({ id, zone }: { id: string; zone: string }): ReactNode {
  const events = useQuery(runEvents(id));
  return (
    <section className="card after" aria-labelledby="e-h">
      <div className="card-h">
        <h2 id="e-h">Events</h2>
        <span className="note">
          {events.data ? `${number(events.data.items.length)}${events.data.hasMore ? "+" : ""}, newest first` : ""}
        </span>
      </div>
      <Loaded query={events} what="Events">
        {(page) =>
          page.items.length === 0 ? (
            <p className="card-b soft">This run has no events.</p>
          ) : (
            <div className="card-b">
              <ol className="events">
                {[...page.items].reverse().map((event) => (
                  <li className={lookOf(event)} key={event.sequence}>
                    <span className="pt now" />
                    <div>
                      <b className="strong">{event.node ?? "Run"}</b> {eventWords(event.type)}
                      <details className="small muted">
                        <summary>
                          event {event.sequence} · {event.type}
                        </summary>
                        <Json value={event.payload} label={`Payload of event ${event.sequence}`} />
                      </details>
                    </div>
                    <span className="small muted nowrap">{dateTime(new Date(event.recordedAt), zone)}</span>
                  </li>
                ))}
              </ol>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}

function Approve({ id }: { id: string }): ReactNode {
  const pending = useQuery(runApprovals(id)).data?.items.filter((one) => one.status === "pending") ?? [];
  return pending.map((one) => (
    <section className="card ask awaiting" aria-label={`Approval of ${one.node ?? "the run"}`} key={one.node ?? ""}>
      <div className="card-h">
        <span className="badge-ico" style={{ width: 24, height: 24 }}>
          <Icon name="approve" className="i glyph" />
        </span>
        <h2>Approve {one.node ?? "this run"}?</h2>
        <span className="note push">
          expires <Relative at={one.expiresAt} />
        </span>
      </div>
      <div className="card-b stack" style={{ gap: 12 }}>
        <p className="answer">{askedFor(one)}</p>
        <dl className="facts small">
          <dt>Why asked</dt>
          <dd>{whyText(one)}</dd>
        </dl>
        <Decision one={one} />
      </div>
    </section>
  ));
}

function summaryOf(nodes: readonly WalkNode[]): string {
  const done = nodes.filter((node) => node.completedAt !== null).length;
  return nodes.length > 1 ? `${done} of ${nodes.length} nodes ended` : "";
}

function RunView({ run }: { run: Run }): ReactNode {
  const { node: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const [cancels, setCancels] = useState(false);
  const walk = useQuery({ ...runNodes(run.id), enabled: run.status !== "skipped" });
  const zone = useQuery({ ...scheduleQuery(run.scheduleId), retry: false }).data?.spec.timezone ?? "UTC";
  const nodes = useMemo(() => walk.data?.nodes ?? [], [walk.data]);
  const selected =
    nodes.find((node) => node.node === chosen) ??
    nodes.find((node) => node.status === "failed" || node.status === "running") ??
    nodes[0];
  const choose = (id: string): void => void navigate({ search: { node: id }, replace: true, resetScroll: false });
  const drawn = useMemo(
    () =>
      nodes.map((node) => {
        const outcome = nodeOutcome(node);
        const took =
          node.startedAt && node.completedAt
            ? duration(Date.parse(node.completedAt) - Date.parse(node.startedAt))
            : outcome.word.toLowerCase();
        return { id: node.node, dependsOn: node.dependsOn ?? [], look: outcome.look, glyph: outcome.glyph, note: took };
      }),
    [nodes],
  );
  return (
    <>
      <div className="page-h">
        <div className="stack" style={{ gap: 6 }}>
          <div className="row row-wrap">
            <h1>{run.scheduleName}</h1>
            <span className="soft" style={{ fontSize: "var(--text-16)" }}>
              {dateTime(new Date(run.scheduledAt), zone)}
            </span>
            <Chip outcome={outcomeOf(run.status, run.reason)} />
            {run.reason && <span className="reason">{run.reason}</span>}
          </div>
          <p className="lede">
            Cause: {causeText(run.cause)}, version {run.scheduleVersion} of{" "}
            <Link to="/schedule/$name" params={{ name: run.scheduleName }} search={{ at: run.scheduledAt }}>
              {run.scheduleName}
            </Link>
            .{" "}
            {walk.data?.workflow && (
              <>
                Workflow{" "}
                <Link
                  to="/workflow/$name"
                  params={{ name: walk.data.workflow }}
                  search={{ version: walk.data.version ?? undefined }}
                >
                  {walk.data.workflow}
                </Link>{" "}
                v{walk.data.version}.{" "}
              </>
            )}
            {summaryOf(nodes)}
          </p>
          {(run.error ?? run.detail) && <p className={run.error ? "error" : "soft"}>{run.error ?? run.detail}</p>}
        </div>
        {run.completedAt === null && run.status !== "skipped" && (
          <div className="actions">
            <button className="btn" onClick={() => setCancels(true)}>
              <Icon name="stop" />
              Cancel run
            </button>
          </div>
        )}
      </div>
      <Times run={run} zone={zone} deadline={walk.data?.deadline} />
      <div className="cols cols-main">
        <div className="stack" style={{ gap: 20 }}>
          {nodes.length > 1 && (
            <section className="card" aria-labelledby="g-h">
              <div className="card-h">
                <h2 id="g-h">Workflow</h2>
                <span className="note">left to right</span>
              </div>
              <Dag nodes={drawn} selected={selected?.node} choose={choose} />
            </section>
          )}
          {nodes.length > 0 && <Timeline run={run} nodes={nodes} zone={zone} selected={selected?.node} />}
          <Events id={run.id} zone={zone} />
        </div>
        <div className="stack" style={{ gap: 20 }}>
          <Approve id={run.id} />
          {selected ? (
            <NodeCard node={selected} nodes={nodes} zone={zone} choose={choose} />
          ) : (
            <section className="card after" aria-labelledby="in-h">
              <div className="card-h">
                <h2 id="in-h">Input</h2>
              </div>
              <div className="card-b">
                <Json value={run.input ?? null} label="Input of the run" />
              </div>
            </section>
          )}
          {run.result !== null && run.result !== undefined && nodes.length > 1 && (
            <section className="card after" aria-labelledby="res-h">
              <div className="card-h">
                <h2 id="res-h">Result</h2>
              </div>
              <div className="card-b">
                <Json value={run.result} label="Result of the run" />
              </div>
            </section>
          )}
        </div>
      </div>
      {cancels && <CancelDialog run={run} close={() => setCancels(false)} />}
    </>
  );
}

export function RunPage(): ReactNode {
  const { run: id } = route.useParams();
  const query = useQuery(runQuery(id));
  return (
    <Loaded query={query} what="The run" rows={8}>
      {(one) => <RunView run={one as Run} />}
    </Loaded>
  );
}
