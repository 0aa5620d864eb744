// All runs of the tenant, by state.
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Run } from "belfry";
import type { ReactNode } from "react";
import { client } from "../api/session.js";
import { readerZone } from "../text/time.js";
import { Empty, Loaded } from "../ui/states.js";
import { RunsTable } from "./runs_table.js";

const route = getRouteApi("/runs");
const STATES: readonly (readonly [NonNullable<Run["status"]>, string])[] = [
  ["running", "running"],
  ["queued", "queued"],
  ["awaiting_approval", "awaiting approval"],
  ["buffered", "buffered"],
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["timed_out", "timed out"],
  ["skipped", "skipped"],
  ["cancelled", "cancelled"],
  ["terminated", "terminated"],
];

/** Runs of one schedule, or of all, with `Load more`. */
export function RunsList({
  schedule,
  status,
  zone,
  at,
}: {
  schedule?: string;
  status?: Run["status"];
  zone: string;
  at?: string;
}): ReactNode {
  const pages = useInfiniteQuery({
    queryKey: ["runs", "pages", schedule ?? "", status ?? ""],
    queryFn: ({ pageParam }) => client().listRuns({ schedule, status, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <Loaded query={pages} what="Runs">
      {(data) => {
        const runs = data.pages.flatMap((page) => page.items) as Run[];
        if (runs.length === 0)
          return (
            <Empty title={status ? "Nothing matches" : "No runs yet"}>
              {status ? "No run has this state." : "The first occurrence brings the first run."}
            </Empty>
          );
        return (
          <>
            <RunsTable runs={runs} zone={zone} named={schedule === undefined} at={at} />
            <div className="card-f">
              <span className="small muted">
                {runs.length} loaded{pages.hasNextPage ? "" : ", no more"}
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
  );
}

export function StateFilter({
  status,
  choose,
}: {
  status: Run["status"] | undefined;
  choose: (status: Run["status"] | undefined) => void;
}): ReactNode {
  return (
    <label className={status ? "facet on" : "facet"}>
      State
      <select
        value={status ?? ""}
        onChange={(event) => choose((event.target.value || undefined) as Run["status"] | undefined)}
      >
        <option value="">any</option>
        {STATES.map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

export function RunsPage(): ReactNode {
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Runs</h1>
          <p className="muted">Newest occurrence first · times in {readerZone()}</p>
        </div>
      </div>
      <div className="filters">
        <StateFilter status={status} choose={(next) => void navigate({ search: { status: next }, replace: true })} />
      </div>
      <section className="card" aria-label="Runs">
        <RunsList status={status} zone={readerZone()} />
      </section>
    </>
  );
}
