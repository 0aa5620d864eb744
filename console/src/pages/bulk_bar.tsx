// Changes many schedules at once, after it has shown which.
import { useMutation } from "@tanstack/react-query";
import type { Schedule } from "belfry";
import type { ReactNode } from "react";
import { useState } from "react";
import { queryClient } from "../api/queries.js";
import { client } from "../api/session.js";
import { Icon, number } from "../ui/basics.js";
import { Dialog, toast } from "../ui/overlays.js";
import { DeleteDialog, messageOf, NamesEffect, PauseDialog, refreshAll, reportBatch } from "./actions.js";

const refreshList = (): void => {
  refreshAll();
  void queryClient.invalidateQueries({ queryKey: ["schedules", "list"] });
};

function ResumeDialog({ chosen, close }: { chosen: readonly Schedule[]; close: () => void }): ReactNode {
  const resume = useMutation({
    mutationFn: () =>
      client().changeSchedules({ items: chosen.map((one) => ({ operation: "resume", schedule: one.id })) }),
    onSuccess: (done) => {
      reportBatch("Resumed", chosen, done.items);
      refreshList();
      close();
    },
    onError: (error) => toast("failed", "Nothing was resumed", messageOf(error)),
  });
  return (
    <Dialog
      title={`Resume ${number(chosen.length)} schedules`}
      close={close}
      footer={
        <>
          <button className="btn btn-primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
            <Icon name="play" />
            Resume {number(chosen.length)}
          </button>
          <button className="btn btn-ghost" onClick={close}>
            Cancel
          </button>
        </>
      }
    >
      <NamesEffect schedules={chosen} text="will fire again, from their next occurrence on" />
    </Dialog>
  );
}

/** The API triggers one schedule at a time, so the dialog shows how far it is. */
function TriggerDialog({ chosen, close }: { chosen: readonly Schedule[]; close: () => void }): ReactNode {
  const [done, setDone] = useState(0);
  const [failures, setFailures] = useState<string[]>([]);
  const start = useMutation({
    mutationFn: async () => {
      for (const one of chosen) {
        await client()
          .triggerSchedule(one.id)
          .then(
            (run) => {
              if (run.status === "skipped") setFailures((before) => [...before, `${one.name}: ${run.reason}`]);
            },
            (error: unknown) => setFailures((before) => [...before, `${one.name}: ${messageOf(error)}`]),
          );
        setDone((before) => before + 1);
      }
    },
    onSuccess: refreshList,
  });
  const finished = start.isSuccess;
  return (
    <Dialog
      title={`Run ${number(chosen.length)} schedules now`}
      close={close}
      footer={
        finished ? (
          <button className="btn btn-primary" onClick={close}>
            Close
          </button>
        ) : (
          <>
            <button className="btn btn-primary" disabled={start.isPending} onClick={() => start.mutate()}>
              <Icon name="bolt" />
              Start {number(chosen.length)} runs
            </button>
            <button className="btn btn-ghost" onClick={close}>
              Cancel
            </button>
          </>
        )
      }
    >
      {start.isIdle ? (
        <NamesEffect schedules={chosen} text="will start one run each, now" />
      ) : (
        <div className="effect" role="status">
          <div className="row">
            <span className="strong">{finished ? "Done" : "Starting"}</span>
            <span className="push">
              {number(done)} of {number(chosen.length)}
            </span>
          </div>
          <div className="prog">
            <i className="succeeded" style={{ width: `${((done - failures.length) / chosen.length) * 100}%` }} />
            <i className="failed" style={{ width: `${(failures.length / chosen.length) * 100}%` }} />
          </div>
          {failures.length > 0 && (
            <ul className="small soft">
              {failures.slice(0, 20).map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Dialog>
  );
}

export function BulkBar({ chosen, clear }: { chosen: readonly Schedule[]; clear: () => void }): ReactNode {
  const [dialog, setDialog] = useState<"pause" | "resume" | "trigger" | "delete">();
  const close = (): void => {
    setDialog(undefined);
    void queryClient.invalidateQueries({ queryKey: ["schedules", "list"] });
  };
  return (
    <div className="bulk" role="region" aria-label="Change the selected schedules">
      <span className="count" role="status">
        {number(chosen.length)} selected
      </span>
      <span className="sep" />
      <button className="btn btn-ghost" onClick={() => setDialog("pause")}>
        <Icon name="pause" />
        Pause
      </button>
      <button className="btn btn-ghost" onClick={() => setDialog("resume")}>
        <Icon name="play" />
        Resume
      </button>
      <button className="btn btn-ghost" onClick={() => setDialog("trigger")}>
        <Icon name="bolt" />
        Run now
      </button>
      <button className="btn btn-ghost btn-danger" onClick={() => setDialog("delete")}>
        <Icon name="trash" />
        Delete
      </button>
      <span className="sep" />
      <button className="btn btn-ghost btn-icon" aria-label="Clear the selection" onClick={clear}>
        <Icon name="x" />
      </button>
      {dialog === "pause" && <PauseDialog schedules={chosen} close={close} />}
      {dialog === "resume" && <ResumeDialog chosen={chosen} close={close} />}
      {dialog === "trigger" && <TriggerDialog chosen={chosen} close={close} />}
      {dialog === "delete" && <DeleteDialog schedules={chosen} close={close} />}
    </div>
  );
}
