// Runs as rows: what was planned, what happened, and the reason.
import { Link } from "@tanstack/react-router";
import type { Run } from "belfry";
import type { ReactNode } from "react";
import { causeText, outcomeOf } from "../text/outcome.js";
import { dateTime, duration, lag } from "../text/time.js";
import { Chip } from "../ui/basics.js";

function Reason({ run }: { run: Run }): ReactNode {
  const count = run.range ? `${run.range.atLeast ? "at least " : ""}${run.range.count} occurrences` : undefined;
  if (run.reason)
    return (
      <span className="two">
        <span className="reason">{run.reason}</span>
        <span>{[run.detail, count].filter(Boolean).join(" · ")}</span>
      </span>
    );
  if (run.error) return <span className="soft">{run.error}</span>;
  return <span className="soft">{run.detail ?? (run.attempts > 1 ? `${run.attempts} attempts` : "")}</span>;
}

export function RunsTable({
  runs,
  zone,
  named,
  at,
}: {
  runs: readonly Run[];
  zone: string;
  named?: boolean;
  at?: string;
}): ReactNode {
  return (
    <div className="scroll">
      <table className="table reflow runs-table">
        <caption className="sr">Runs, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            {named && <th scope="col">Schedule</th>}
            <th scope="col">Planned</th>
            <th scope="col" className="hide-sm">
              Dispatched
            </th>
            <th scope="col" className="hide-sm">
              Started
            </th>
            <th scope="col">Took</th>
            <th scope="col" className="hide-sm">
              Cause
            </th>
            <th scope="col">Reason or error</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id} data-row className={run.scheduledAt === at ? "is-selected" : ""}>
              <td>
                <Link
                  to="/run/$run"
                  params={{ run: run.id }}
                  search={{}}
                  aria-label={`${outcomeOf(run.status, run.reason).word}: open the run`}
                >
                  <Chip outcome={outcomeOf(run.status, run.reason)} />
                </Link>
              </td>
              {named && (
                <td>
                  <Link className="name" to="/schedule/$name" params={{ name: run.scheduleName }} search={{}}>
                    {run.scheduleName}
                  </Link>
                </td>
              )}
              <td>
                <time dateTime={run.scheduledAt}>{dateTime(new Date(run.scheduledAt), zone)}</time>
              </td>
              <td className="soft hide-sm">
                {run.status === "skipped" ? (
                  <span className="muted">–</span>
                ) : run.cause === "tick" ? (
                  lag(run.fireAt, run.decidedAt)
                ) : (
                  dateTime(new Date(run.decidedAt), zone)
                )}
              </td>
              <td className="soft hide-sm">{lag(run.decidedAt, run.startedAt)}</td>
              <td className="corner">
                {run.startedAt && run.completedAt ? (
                  duration(Date.parse(run.completedAt) - Date.parse(run.startedAt))
                ) : (
                  <span className="muted">–</span>
                )}
              </td>
              <td className="soft hide-sm">{causeText(run.cause)}</td>
              <td>
                <Reason run={run} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
