// The audit stream of a schedule: sequence, recorded time, event, linked ids and payload.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Event } from "belfry";
import type { ReactNode } from "react";
import { client } from "../api/session.js";
import { dateTime } from "../text/time.js";
import { Json, number } from "../ui/basics.js";
import { Empty, Loaded } from "../ui/states.js";

const PAGE = 100;

/** `ScheduleTriggered` becomes `Schedule triggered`. */
const words = (type: string): string =>
  type.replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`);

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function Item({ event, zone }: { event: Event; zone: string }): ReactNode {
  const { payload } = event;
  const who = textOf((payload.command_context as { principal?: unknown } | undefined)?.principal);
  const reason = textOf(payload.reason);
  const run = textOf(payload.workflow_run_id);
  return (
    <li>
      <span className="pt" />
      <div>
        <b className="strong">{words(event.type)}</b>
        {who && <> by {who}</>}
        {reason && <> · “{reason}”</>}
        <div className="small muted">
          event {number(event.sequence)}
          {run && (
            <>
              {" "}
              ·{" "}
              <Link to="/run/$run" params={{ run }} search={{}}>
                run
              </Link>
            </>
          )}{" "}
          · hash {event.hash.slice(0, 12)}
        </div>
        <details className="small">
          <summary>Payload</summary>
          <Json value={payload} label={`Payload of event ${event.sequence}`} />
        </details>
      </div>
      <span className="small muted nowrap">{dateTime(new Date(event.recordedAt), zone)}</span>
    </li>
  );
}

export function History({ schedule, zone }: { schedule: string; zone: string }): ReactNode {
  const pages = useInfiniteQuery({
    queryKey: ["schedules", "history", schedule],
    queryFn: ({ pageParam }) => client().getScheduleHistory(schedule, { limit: PAGE, afterSequence: pageParam }),
    initialPageParam: 0,
    getNextPageParam: (page) => (page.nextCursor ? Number(page.nextCursor) : undefined),
  });
  return (
    <section className="card" aria-labelledby="hist-h">
      <div className="card-h">
        <h2 id="hist-h">History</h2>
        <span className="note">who changed what, hash-chained, oldest first · {zone}</span>
      </div>
      <Loaded query={pages} what="The history">
        {(data) => {
          const events = data.pages.flatMap((page) => page.items) as Event[];
          if (events.length === 0) return <Empty title="No events">Older events may have been archived.</Empty>;
          return (
            <>
              <div className="card-b">
                <ol className="events">
                  {events.map((event) => (
                    <Item key={event.sequence} event={event} zone={zone} />
                  ))}
                </ol>
              </div>
              <div className="card-f">
                <span className="small muted" role="status">
                  {number(events.length)} events{pages.hasNextPage ? "" : ", no more"}
                </span>
                {pages.hasNextPage && (
                  <button
                    className="btn btn-sm push"
                    disabled={pages.isFetchingNextPage}
                    onClick={() => void pages.fetchNextPage()}
                  >
                    Load more
                  </button>
                )}
              </div>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
