// What a reader can do with schedules: run now, pause, resume, backfill, delete. Each dialog shows the effect first.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ApiError } from "belfry";
import type { Schedule } from "belfry";
import type { ReactNode } from "react";
import { useState } from "react";
import { queryClient } from "../api/queries.js";
import { client } from "../api/session.js";
import { outcomeOf } from "../text/outcome.js";
import { dateTime, fullDateTime, instantOf, localInput, relative } from "../text/time.js";
import { Icon, number, useNow } from "../ui/basics.js";
import { Choices, Dialog, Field, toast } from "../ui/overlays.js";

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Refreshes everything that a change of a schedule may show in. */
export function refreshAll(): void {
  for (const noun of ["schedules", "runs", "approvals", "tenant"])
    void queryClient.invalidateQueries({ queryKey: [noun] });
}

export function failed(what: string): (error: unknown) => void {
  return (error) => toast("failed", what, messageOf(error));
}

export function RunNowButton({ name, small = false }: { name: string; small?: boolean }): ReactNode {
  const start = useMutation({
    mutationFn: () => client().triggerSchedule(name),
    onSuccess: (run) => {
      const outcome = outcomeOf(run.status, run.reason);
      if (run.status === "skipped")
        toast("skipped", `${name} was not started`, `${run.reason ?? ""} ${run.detail ?? ""}`);
      else toast("succeeded", `Started ${name}`, outcome.word);
      refreshAll();
    },
    onError: failed(`${name} was not started`),
  });
  if (small)
    return (
      <button
        className="btn btn-sm btn-icon btn-ghost"
        title="Run now"
        aria-label={`Run ${name} now`}
        disabled={start.isPending}
        onClick={() => start.mutate()}
      >
        <Icon name="bolt" />
      </button>
    );
  return (
    <button className="btn" disabled={start.isPending} onClick={() => start.mutate()}>
      <Icon name="bolt" />
      Run now
    </button>
  );
}

const HOUR = 3_600_000;
type Until = "hour" | "tomorrow" | "date" | "open";

function untilOf(choice: Until, local: string, zone: string, now: Date): Date | undefined {
  if (choice === "hour") return new Date(now.getTime() + HOUR);
  if (choice === "tomorrow")
    return instantOf(`${localInput(new Date(now.getTime() + 24 * HOUR), zone).slice(0, 10)}T09:00:00`, zone);
  return choice === "date" ? instantOf(local, zone) : undefined;
}

/** How many occurrences a pause keeps from running, as the server plans them. */
function PauseEffect({ schedule, until }: { schedule: Schedule; until: Date | undefined }): ReactNode {
  const zone = schedule.spec.timezone ?? "UTC";
  const to = until?.toISOString();
  const { data } = useQuery({
    queryKey: ["schedules", "pause", schedule.id, to?.slice(0, 16)],
    queryFn: () => client().previewSchedule(schedule.id, to ? { to, limit: 100 } : { limit: 3 }),
  });
  if (!data)
    return (
      <div className="effect" role="status">
        <span className="muted">Counting …</span>
      </div>
    );
  const skipped = data.items.filter((row) => row.decision === "skipped").length;
  const first = data.items
    .slice(0, 3)
    .map((row) => dateTime(new Date(row.occurrence), zone))
    .join("; ");
  const count = `${number(data.items.length)}${data.nextCursor ? "+" : ""}`;
  return (
    <div className="effect" role="status">
      <span className="strong">
        {to
          ? `${count} ${data.items.length === 1 ? "occurrence" : "occurrences"} will not run`
          : "No occurrence runs until you resume it"}
      </span>
      {data.items.length > 0 && (
        <p className="small soft">
          {to ? "" : "The first: "}
          {first}
          {data.items.length > 3 ? " …" : "."}
          {skipped > 0 ? ` ${skipped} of them would be skipped anyway.` : ""}{" "}
          {schedule.missedWhilePaused ? "They count as missed when the pause ends." : "They are not caught up later."}
        </p>
      )}
    </div>
  );
}

export function PauseDialog({ schedules, close }: { schedules: readonly Schedule[]; close: () => void }): ReactNode {
  const [only] = schedules;
  const zone = schedules.length === 1 ? (only?.spec.timezone ?? "UTC") : "UTC";
  const now = useNow();
  const [reason, setReason] = useState("");
  const [choice, setChoice] = useState<Until>("open");
  const [local, setLocal] = useState(() => localInput(new Date(Date.now() + 24 * HOUR), zone).slice(0, 16));
  const until = untilOf(choice, local, zone, now);
  const pause = useMutation({
    mutationFn: () =>
      client().changeSchedules({
        items: schedules.map((one) => ({ operation: "pause", schedule: one.id, until: until?.toISOString() })),
        reason: reason || undefined,
      }),
    onSuccess: (done) => {
      reportBatch("Paused", schedules, done.items);
      refreshAll();
      close();
    },
  });
  const title = schedules.length === 1 ? `Pause ${only?.name}` : `Pause ${number(schedules.length)} schedules`;
  return (
    <Dialog
      title={title}
      intro="No run starts until it resumes. Runs in progress finish."
      close={close}
      footer={
        <>
          <button
            className="btn btn-primary"
            disabled={pause.isPending || (choice === "date" && !until)}
            onClick={() => pause.mutate()}
          >
            <Icon name="pause" />
            Pause {number(schedules.length)} {schedules.length === 1 ? "schedule" : "schedules"}
          </button>
          <button className="btn btn-ghost" onClick={close}>
            Cancel
          </button>
        </>
      }
    >
      <Field label="Why?" optional="kept in the history" error={pause.error ? messageOf(pause.error) : undefined}>
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
      <fieldset className="field">
        <legend className="label" style={{ marginBottom: 6 }}>
          Until
        </legend>
        <Choices
          className="choices"
          label="Until"
          value={choice}
          choose={setChoice}
          choices={[
            ["hour", "1 h"],
            ["tomorrow", "Tomorrow 09:00"],
            ["date", "A date"],
            ["open", "I resume it"],
          ]}
        />
        {choice === "date" && (
          <input
            className="input"
            type="datetime-local"
            aria-label={`Date and time, ${zone}`}
            value={local}
            onChange={(event) => setLocal(event.target.value)}
          />
        )}
        {until && (
          <p className="hint">
            {relative(until, now)} · {fullDateTime(new Date(Math.floor(until.getTime() / 60_000) * 60_000), zone)}
          </p>
        )}
      </fieldset>
      {schedules.length === 1 && only ? (
        <PauseEffect schedule={only} until={until} />
      ) : (
        <NamesEffect schedules={schedules} text="will not fire" />
      )}
    </Dialog>
  );
}

export function NamesEffect({ schedules, text }: { schedules: readonly Schedule[]; text: string }): ReactNode {
  return (
    <div className="effect" role="status">
      <span className="strong">
        {number(schedules.length)} {schedules.length === 1 ? "schedule" : "schedules"} {text}
      </span>
      <p className="small soft">
        {schedules
          .slice(0, 12)
          .map((one) => one.name)
          .join(", ")}
        {schedules.length > 12 ? ` and ${schedules.length - 12} more` : ""}.
      </p>
    </div>
  );
}

/** Says how many items of a batch succeeded, and names the first that did not. */
export function reportBatch(
  done: string,
  schedules: readonly Schedule[],
  items: readonly { status: number; problem?: { detail: string } }[],
): void {
  const bad = items.map((item, at) => ({ item, name: schedules[at]?.name })).filter(({ item }) => item.status >= 400);
  const good = items.length - bad.length;
  const what =
    schedules.length === 1 ? (schedules[0]?.name ?? "") : `${number(good)} of ${number(items.length)} schedules`;
  if (bad.length === 0) toast("succeeded", `${done} ${schedules.length === 1 ? what : `${number(good)} schedules`}`);
  else
    toast(
      good > 0 ? "skipped" : "failed",
      good > 0 ? `${done} ${what}` : `Nothing was changed`,
      bad
        .slice(0, 3)
        .map(({ item, name }) => `${name}: ${item.problem?.detail ?? item.status}`)
        .join("; "),
    );
}

export function DeleteDialog({ schedules, close }: { schedules: readonly Schedule[]; close: () => void }): ReactNode {
  const navigate = useNavigate();
  const [reason, setReason] = useState("");
  const remove = useMutation({
    mutationFn: () =>
      client().changeSchedules({
        items: schedules.map((one) => ({ operation: "delete", schedule: one.id })),
        reason: reason || undefined,
      }),
    onSuccess: (done) => {
      reportBatch("Deleted", schedules, done.items);
      refreshAll();
      close();
      if (schedules.length === 1) void navigate({ to: "/schedule", search: {} });
    },
  });
  return (
    <Dialog
      title={schedules.length === 1 ? `Delete ${schedules[0]?.name}` : `Delete ${number(schedules.length)} schedules`}
      intro="A deleted schedule fires no more. Runs in progress finish, and the history stays."
      close={close}
      footer={
        <>
          <button className="btn btn-danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            <Icon name="trash" />
            Delete {number(schedules.length)} {schedules.length === 1 ? "schedule" : "schedules"}
          </button>
          <button className="btn btn-ghost" onClick={close}>
            Cancel
          </button>
        </>
      }
    >
      <Field label="Why?" optional="kept in the history" error={remove.error ? messageOf(remove.error) : undefined}>
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
      <NamesEffect schedules={schedules} text="will be deleted" />
    </Dialog>
  );
}

export function useResume(): { resume: (schedules: readonly Schedule[]) => void; busy: boolean } {
  const change = useMutation({
    mutationFn: async (schedules: readonly Schedule[]) => {
      const done = await client().changeSchedules({
        items: schedules.map((one) => ({ operation: "resume", schedule: one.id })),
      });
      reportBatch("Resumed", schedules, done.items);
    },
    onSuccess: refreshAll,
    onError: failed("Nothing was resumed"),
  });
  return { resume: change.mutate, busy: change.isPending };
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
