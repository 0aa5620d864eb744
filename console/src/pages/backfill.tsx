// Backfill: the dry run says how many runs it starts before it starts any; then the progress is live.
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Backfill, BackfillDryRun, Schedule } from "belfry";
import { InvalidArgument } from "belfry";
import type { ReactNode } from "react";
import { useState } from "react";
import { queryClient } from "../api/queries.js";
import { client } from "../api/session.js";
import { dateTime, instantOf, localInput } from "../text/time.js";
import { Icon, number } from "../ui/basics.js";
import { Choices, Dialog, Field, toast } from "../ui/overlays.js";
import { failed, messageOf, refreshAll } from "./actions.js";

type Rerun = "missing" | "failed" | "all";

function countsOf(plan: BackfillDryRun): { starts: number; skips: number } {
  const skips = plan.items.filter((item) => item.decision === "skipped").length;
  return { starts: plan.items.length - skips, skips };
}

export function BackfillDialog({ schedule, close }: { schedule: Schedule; close: () => void }): ReactNode {
  const zone = schedule.spec.timezone ?? "UTC";
  const [from, setFrom] = useState(() => localInput(new Date(Date.now() - 86_400_000), zone).slice(0, 16));
  const [to, setTo] = useState(() => localInput(new Date(), zone).slice(0, 16));
  const [rerun, setRerun] = useState<Rerun>("missing");
  const [concurrency, setConcurrency] = useState(1);
  const range = { from: instantOf(from, zone)?.toISOString() ?? "", to: instantOf(to, zone)?.toISOString() ?? "" };
  const body = { ...range, rerun, concurrency };
  const plan = useQuery({
    queryKey: ["backfills", "dry", schedule.id, body],
    queryFn: async () => (await client().backfillSchedule(schedule.id, { ...body, dryRun: true })) as BackfillDryRun,
    enabled: range.from !== "" && range.to !== "",
    retry: false,
  });
  const start = useMutation({
    mutationFn: () => client().backfillSchedule(schedule.id, body),
    onSuccess: () => {
      toast("succeeded", `The backfill of ${schedule.name} has started`);
      refreshAll();
      void queryClient.invalidateQueries({ queryKey: ["backfills"] });
      close();
    },
  });
  const errorAt = (name: string): string | undefined =>
    [plan.error, start.error]
      .flatMap((error) => (error instanceof InvalidArgument ? error.errors : []))
      .find((one) => one.pointer === `/${name}`)?.detail;
  const problem = start.error ?? plan.error;
  const counts = plan.data && countsOf(plan.data);
  const runs = counts ? `${number(counts.starts)}${plan.data?.more ? "+" : ""}` : "…";
  return (
    <Dialog
      title={`Backfill ${schedule.name}`}
      intro="Starts runs for occurrences of the past. Nothing fires twice."
      close={close}
      footer={
        <>
          <button
            className="btn btn-primary"
            disabled={!counts || counts.starts === 0 || start.isPending}
            onClick={() => start.mutate()}
          >
            <Icon name="backfill" />
            Start {runs} {counts?.starts === 1 ? "run" : "runs"}
          </button>
          <button className="btn btn-ghost" onClick={close}>
            Cancel
          </button>
        </>
      }
    >
      <div className="grid-2">
        <Field label="From" optional={zone} error={errorAt("from")}>
          {(ids) => (
            <input
              className="input"
              type="datetime-local"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
              {...ids}
            />
          )}
        </Field>
        <Field label="To" optional={zone} error={errorAt("to")}>
          {(ids) => (
            <input
              className="input"
              type="datetime-local"
              value={to}
              onChange={(event) => setTo(event.target.value)}
              {...ids}
            />
          )}
        </Field>
      </div>
      <div className="field">
        <span className="label">Which occurrences</span>
        <Choices
          label="Which occurrences"
          value={rerun}
          choose={setRerun}
          choices={[
            ["missing", "without a run"],
            ["failed", "failed"],
            ["all", "all"],
          ]}
        />
      </div>
      <Field label="At once" optional="runs in flight" error={errorAt("concurrency")}>
        {(ids) => (
          <input
            className="input"
            type="number"
            min={1}
            max={100}
            value={concurrency}
            onChange={(event) => setConcurrency(Number(event.target.value))}
            {...ids}
          />
        )}
      </Field>
      <div className="effect" role="status">
        {problem ? (
          <p className="error">
            <Icon name="warn" className="i i-12" />
            <span>{messageOf(problem)}</span>
          </p>
        ) : !plan.data || !counts ? (
          <span className="muted">Counting …</span>
        ) : (
          <>
            <span className="big">{runs}</span>
            <span className="strong">
              {counts.starts === 1 && !plan.data.more ? "run will start" : "runs will start"}
            </span>
            <p className="small soft">
              {counts.skips > 0 && `${number(counts.skips)} will be skipped by a guard. `}
              {plan.data.leftAlone.length > 0 &&
                `${number(plan.data.leftAlone.length)} are left alone, because they have run already or are not due. `}
              {plan.data.items[0] && `First: ${dateTime(new Date(plan.data.items[0].scheduledAt), zone)}.`}
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

const STATUS_LOOK: Record<Backfill["status"], string> = {
  running: "running",
  paused: "paused",
  completed: "succeeded",
  cancelled: "paused",
  failed: "failed",
};

/** The API has no total, so the bar shows how far the backfill has walked through its range. */
function progressOf(one: Backfill): number {
  if (one.status === "completed" || !one.nextFrom) return 100;
  const from = Date.parse(one.from);
  return Math.min(100, ((Date.parse(one.nextFrom) - from) / Math.max(1, Date.parse(one.to) - from)) * 100);
}

export function Backfills({ schedule }: { schedule: Schedule }): ReactNode {
  const zone = schedule.spec.timezone ?? "UTC";
  const list = useQuery({
    queryKey: ["backfills", schedule.id],
    queryFn: () => client().listBackfills(schedule.id, { limit: 5 }),
    refetchInterval: (query) => (query.state.data?.items.some((one) => one.status === "running") ? 1000 : false),
  });
  const act = useMutation({
    mutationFn: ({ id, what }: { id: string; what: "cancel" | "pause" | "resume" }) =>
      what === "cancel"
        ? client().cancelBackfill(id)
        : what === "pause"
          ? client().pauseBackfill(id)
          : client().resumeBackfill(id),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ["backfills"] }),
    onError: failed("The backfill was not changed"),
  });
  if (!list.data || list.data.items.length === 0) return null;
  return (
    <section className="card after" aria-labelledby="bf-h">
      <div className="card-h">
        <h2 id="bf-h">Backfills</h2>
        <span className="note">newest first</span>
      </div>
      {list.data.items.map((one) => (
        <div className={`bf ${STATUS_LOOK[one.status]}`} key={one.id}>
          <div className="row row-wrap">
            <span className="strong">
              {dateTime(new Date(one.from), zone)} – {dateTime(new Date(one.to), zone)}
            </span>
            <span className={`chip ${STATUS_LOOK[one.status]} push`}>{one.status}</span>
          </div>
          <div
            className="prog"
            role="progressbar"
            aria-label="Part of the range that is done"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(progressOf(one))}
          >
            <i className={STATUS_LOOK[one.status]} style={{ width: `${progressOf(one)}%` }} />
          </div>
          <div className="row row-wrap small soft">
            <span>
              {number(one.dispatched)} dispatched, {number(one.skipped)} skipped{one.error ? ` · ${one.error}` : ""}
            </span>
            {one.status === "running" && (
              <button className="link small push" onClick={() => act.mutate({ id: one.id, what: "pause" })}>
                Pause
              </button>
            )}
            {one.status === "paused" && (
              <button className="link small push" onClick={() => act.mutate({ id: one.id, what: "resume" })}>
                Resume
              </button>
            )}
            {(one.status === "running" || one.status === "paused") && (
              <button className="link small" onClick={() => act.mutate({ id: one.id, what: "cancel" })}>
                Cancel
              </button>
            )}
          </div>
        </div>
      ))}
    </section>
  );
}
