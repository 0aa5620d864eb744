// The list of schedules: filters in the address, pages from the server, rows that exist only while they are visible.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ColumnDef, RowSelectionState } from "@tanstack/react-table";
import { flexRender, getCoreRowModel, useReactTable } from "@tanstack/react-table";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import type { Schedule } from "belfry";
import type { ReactNode } from "react";
import { useEffect, useMemo, useRef, useState } from "react";
import { clearUpdates, useLive } from "../api/live.js";
import type { SchedulesFilter } from "../api/queries.js";
import { queryClient, schedulesPage, strip, tenant } from "../api/queries.js";
import { outcomeOf } from "../text/outcome.js";
import { dateTime, duration } from "../text/time.js";
import { Chip, Icon, Labels, number, Relative, WhenCell } from "../ui/basics.js";
import { Empty, Failure, Skeleton } from "../ui/states.js";
import { Strip, StripLegend } from "../ui/strip.js";
import { BulkBar } from "./bulk_bar.js";
import { Filters } from "./filters.js";
import { sentenceOf, targetText } from "./sentence.js";

const route = getRouteApi("/schedule");

function NextCell({ one }: { one: Schedule }): ReactNode {
  if (one.nextRunAt) return <WhenCell at={one.nextRunAt} zone={one.spec.timezone ?? "UTC"} />;
  if (one.status === "paused")
    return (
      <div className="two">
        <span className="soft">Paused</span>
        <span>
          {one.pausedUntil
            ? `until ${dateTime(new Date(one.pausedUntil), one.spec.timezone ?? "UTC")}`
            : one.nextOccurrence
              ? `would next run ${dateTime(new Date(one.nextOccurrence), one.spec.timezone ?? "UTC")}`
              : ""}
        </span>
      </div>
    );
  return <span className="muted">{one.status === "completed" ? "Completed" : "No next run"}</span>;
}

function LastCell({ id }: { id: string }): ReactNode {
  const last = useQuery(strip(id)).data?.at(-1);
  if (!last) return <span className="muted">–</span>;
  const took =
    last.startedAt && last.completedAt
      ? `, ${duration(Date.parse(last.completedAt) - Date.parse(last.startedAt))}`
      : "";
  return (
    <div className="two">
      <span>
        <Chip outcome={outcomeOf(last.status, last.reason)} />
      </span>
      <span>
        {last.status === "skipped" ? (
          last.reason
        ) : (
          <>
            <Relative at={last.completedAt ?? last.scheduledAt} />
            {took}
          </>
        )}
      </span>
    </div>
  );
}

function StateCell({ one }: { one: Schedule }): ReactNode {
  if (one.breakerState === "open")
    return (
      <span className="small failed" style={{ color: "var(--t)" }}>
        Stopped
      </span>
    );
  if (one.unreadable)
    return (
      <span className="small failed" style={{ color: "var(--t)" }}>
        Unreadable
      </span>
    );
  return <span className="small soft">{one.status.replace(/^./, (first) => first.toUpperCase())}</span>;
}

const columns: ColumnDef<Schedule>[] = [
  {
    id: "select",
    meta: { className: "hide-sm" },
    header: ({ table }) => (
      <input
        type="checkbox"
        aria-label="Select all rows that are loaded"
        className={table.getIsSomeRowsSelected() ? "check mixed" : "check"}
        checked={table.getIsAllRowsSelected()}
        onChange={table.getToggleAllRowsSelectedHandler()}
      />
    ),
    cell: ({ row }) => (
      <input
        type="checkbox"
        className="check"
        aria-label={`Select ${row.original.name}`}
        checked={row.getIsSelected()}
        onChange={row.getToggleSelectedHandler()}
      />
    ),
  },
  {
    id: "name",
    header: "Name",
    cell: ({ row: { original: one } }) => (
      <div className="two" style={{ gap: 3 }}>
        <span className="ellipsis">
          <Link className="name" to="/schedule/$name" params={{ name: one.name }} search={{}}>
            {one.name}
          </Link>
        </span>
        <span className="row" style={{ gap: 4, overflow: "hidden" }}>
          <Labels labels={one.labels} />
        </span>
      </div>
    ),
  },
  {
    id: "does",
    header: "What it does",
    meta: { className: "drop-1080", label: "Does" },
    cell: ({ row: { original: one } }) => (
      <div className="two">
        <span className="ellipsis" title={sentenceOf(one)}>
          {sentenceOf(one)}
        </span>
        <span className="ellipsis">{targetText(one)}</span>
      </div>
    ),
  },
  { id: "next", header: "Next run", meta: { label: "Next" }, cell: ({ row }) => <NextCell one={row.original} /> },
  { id: "strip", header: "Last 20", meta: { label: "Last 20" }, cell: ({ row }) => <Strip id={row.original.id} /> },
  {
    id: "last",
    header: "Last result",
    meta: { className: "drop-760", label: "Result" },
    cell: ({ row }) => <LastCell id={row.original.id} />,
  },
  {
    id: "state",
    header: "State",
    meta: { className: "corner drop-1240" },
    cell: ({ row }) => <StateCell one={row.original} />,
  },
];
const meta = (column: { columnDef: { meta?: unknown } }): { className?: string; label?: string } =>
  (column.columnDef.meta ?? {}) as { className?: string; label?: string };

const SORTS: Record<string, "ascending" | "descending" | undefined> = { name: "ascending", "-name": "descending" };

function Rows({
  items,
  selection,
  setSelection,
  sort,
  loadMore,
}: {
  items: Schedule[];
  selection: RowSelectionState;
  setSelection: (next: RowSelectionState) => void;
  sort: string;
  loadMore: () => void;
}): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const navigate = route.useNavigate();
  const table = useReactTable({
    data: items,
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: (one) => one.id,
    state: { rowSelection: selection },
    onRowSelectionChange: (change) => setSelection(typeof change === "function" ? change(selection) : change),
  });
  const rows = table.getRowModel().rows;
  const [margin, setMargin] = useState(0);
  useEffect(() => setMargin((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [items.length]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 57,
    overscan: 8,
    scrollMargin: margin,
    measureElement: (element) => element.getBoundingClientRect().height,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 20) loadMore();
  }, [last, rows.length, loadMore]);
  const above = (shown[0]?.start ?? margin) - margin;
  const below = virtual.getTotalSize() - ((shown.at(-1)?.end ?? margin) - margin);
  const flip = (): void =>
    void navigate({ search: (before) => ({ ...before, sort: sort === "name" ? "-name" : undefined }), replace: true });
  return (
    <table className="table sched-table reflow" aria-rowcount={-1}>
      <caption className="sr">Schedules, sorted by {sort === "nextRunAt" ? "next run" : "name"}</caption>
      <colgroup className="hide-sm">
        <col style={{ width: 44 }} />
        <col className="c-name" style={{ width: 196 }} />
        <col className="drop-1080" />
        <col style={{ width: 204 }} />
        <col style={{ width: 164 }} />
        <col className="drop-760" style={{ width: 168 }} />
        <col className="drop-1240" style={{ width: 116 }} />
      </colgroup>
      <thead>
        <tr>
          {table.getFlatHeaders().map((header) => (
            <th
              scope="col"
              key={header.id}
              className={meta(header.column).className?.replace("corner", "")}
              aria-sort={header.id === "name" ? SORTS[sort] : undefined}
            >
              {header.id === "name" ? (
                <button className="link" style={{ color: "inherit", fontSize: "inherit" }} onClick={flip}>
                  Name{" "}
                  {SORTS[sort] && (
                    <span style={sort === "name" ? undefined : { display: "inline-block", transform: "scaleY(-1)" }}>
                      <Icon name="asc" className="i i-12" />
                    </span>
                  )}
                </button>
              ) : (
                flexRender(header.column.columnDef.header, header.getContext())
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {above > 0 && <tr aria-hidden="true" style={{ height: above, padding: 0 }} />}
        {shown.map(({ index }) => {
          const row = rows[index];
          return (
            row && (
              <tr
                key={row.id}
                data-row
                data-index={index}
                ref={virtual.measureElement}
                className={row.getIsSelected() ? "is-selected" : ""}
              >
                {row.getVisibleCells().map((cell) => (
                  <td key={cell.id} className={meta(cell.column).className} data-l={meta(cell.column).label}>
                    {flexRender(cell.column.columnDef.cell, cell.getContext())}
                  </td>
                ))}
              </tr>
            )
          );
        })}
        {below > 0 && <tr aria-hidden="true" style={{ height: below, padding: 0 }} />}
      </tbody>
    </table>
  );
}

function Updates({ refresh }: { refresh: () => void }): ReactNode {
  const { updates } = useLive();
  if (updates === 0) return null;
  return (
    <button className="updates push" onClick={refresh}>
      <Icon name="refresh" className="i i-12" />
      {number(updates)} {updates === 1 ? "update" : "updates"} – refresh
    </button>
  );
}

export function SchedulesPage(): ReactNode {
  const search = route.useSearch();
  const [selection, setSelection] = useState<RowSelectionState>({});
  // Sorting by the next run takes no other filter.
  const filter: SchedulesFilter = useMemo(
    () => (search.sort === "nextRunAt" ? { sort: "nextRunAt" } : search),
    [search],
  );
  const pages = useInfiniteQuery({
    queryKey: ["schedules", "list", filter],
    queryFn: ({ pageParam }) => schedulesPage(filter, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: (before) => before,
  });
  const total = useQuery(tenant()).data?.usage.schedules;
  const items = useMemo(() => (pages.data?.pages.flatMap((page) => page.items) ?? []) as Schedule[], [pages.data]);
  const chosen = items.filter((one) => selection[one.id]);
  const loadMore = useMemo(
    () => () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
    [pages],
  );
  const refresh = (): void => {
    clearUpdates();
    void queryClient.invalidateQueries({ queryKey: ["schedules", "list"] });
  };
  useEffect(() => {
    clearUpdates();
    setSelection({});
  }, [filter]);
  const filtered = Object.values(search).some((value) => value !== undefined);
  return (
    <>
      <div className="page-h">
        <div>
          <h1>Schedules</h1>
          <p className="muted" role="status">
            {total === undefined ? "" : `${number(total)} ${total === 1 ? "schedule" : "schedules"}`}
            {filtered ? ` · ${number(items.length)}${pages.hasNextPage ? "+" : ""} match` : ""}
          </p>
        </div>
        <div className="actions">
          <Link className="btn btn-primary" to="/new">
            <Icon name="plus" />
            New schedule
          </Link>
        </div>
      </div>
      <Filters>
        <Updates refresh={refresh} />
      </Filters>
      <section className="card" aria-label="Schedules">
        {pages.isError && items.length === 0 && (
          <Failure what="Schedules" error={pages.error} retry={() => void pages.refetch()} />
        )}
        {pages.isPending && <Skeleton label="schedules" rows={8} />}
        {pages.isSuccess &&
          items.length === 0 &&
          (filtered ? (
            <Empty
              title="Nothing matches"
              actions={
                <Link className="btn" to="/schedule" search={{}}>
                  Clear filters
                </Link>
              }
            >
              No schedule has all of these properties. Search looks at names.
            </Empty>
          ) : (
            <Empty
              title="No schedules yet"
              actions={
                <Link className="btn btn-primary" to="/new">
                  <Icon name="plus" />
                  New schedule
                </Link>
              }
            >
              A schedule starts a task or a workflow at the times you choose, and records what became of every one.
            </Empty>
          ))}
        {items.length > 0 && (
          <Rows
            items={items}
            selection={selection}
            setSelection={setSelection}
            sort={filter.sort ?? "name"}
            loadMore={loadMore}
          />
        )}
        {items.length > 0 && (
          <div className="card-f">
            <span className="small muted">
              {number(items.length)} loaded{pages.hasNextPage ? "" : ", no more"}
            </span>
            <StripLegend />
            {pages.hasNextPage && (
              <button className="btn btn-sm push" disabled={pages.isFetchingNextPage} onClick={loadMore}>
                Load more
              </button>
            )}
          </div>
        )}
      </section>
      {chosen.length > 0 && <BulkBar chosen={chosen} clear={() => setSelection({})} />}
    </>
  );
}
