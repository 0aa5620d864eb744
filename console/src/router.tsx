// The addresses of the console. What a page shows is in its address: filters, tabs and moments can be shared.
//
// The server serves the page at these addresses only (src/api/console/console_routes.cpp). `/schedule/NAME` is singular
// because clients of another scheduler use `/schedules` and `/schedules/ID`.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Failure } from "./ui/states.js";
import { Shell } from "./ui/shell.js";

type Search = Record<string, unknown>;
const text = (value: unknown): string | undefined =>
  value === undefined || value === null || value === "" ? undefined : String(value);
const oneOf = <T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === value);
/** Links may omit what an address may omit. */
const optional = <T extends object>(search: T): Partial<T> => search;

const root = createRootRoute({
  component: Shell,
  errorComponent: ({ error, reset }) => <Failure what="This page" error={error} retry={reset} />,
});

const now = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/now.js"), "NowPage"),
});

const RUN_STATES = [
  "awaiting_approval",
  "queued",
  "running",
  "succeeded",
  "failed",
  "cancelled",
  "terminated",
  "timed_out",
  "skipped",
  "buffered",
] as const;

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedule",
  validateSearch: (search: Search) =>
    optional({
      q: text(search.q),
      status: oneOf(search.status, ["active", "paused", "completed"] as const),
      label: text(search.label),
      target: oneOf(search.target, ["workflow", "task"] as const),
      targetKind: text(search.targetKind),
      sort: oneOf(search.sort, ["-name", "-createdAt", "nextRunAt"] as const),
    }),
  component: lazyRouteComponent(() => import("./pages/schedules.js"), "SchedulesPage"),
});

export const SCHEDULE_TABS = ["overview", "runs", "configuration", "history"] as const;
const schedule = createRoute({
  getParentRoute: () => root,
  path: "/schedule/$name",
  validateSearch: (search: Search) =>
    optional({
      tab: oneOf(search.tab, SCHEDULE_TABS),
      at: text(search.at),
      status: oneOf(search.status, RUN_STATES),
    }),
  component: lazyRouteComponent(() => import("./pages/schedule.js"), "SchedulePage"),
});

const edit = createRoute({
  getParentRoute: () => root,
  path: "/schedule/$name/edit",
  component: lazyRouteComponent(() => import("./pages/edit.js"), "EditPage"),
});
const create = createRoute({
  getParentRoute: () => root,
  path: "/new",
  component: lazyRouteComponent(() => import("./pages/edit.js"), "NewPage"),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (search: Search) => optional({ status: oneOf(search.status, RUN_STATES) }),
  component: lazyRouteComponent(() => import("./pages/runs.js"), "RunsPage"),
});
const run = createRoute({
  getParentRoute: () => root,
  path: "/run/$run",
  validateSearch: (search: Search) => optional({ node: text(search.node) }),
  component: lazyRouteComponent(() => import("./pages/run.js"), "RunPage"),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: "/approvals",
  validateSearch: (search: Search) => optional({ run: text(search.run), node: text(search.node) }),
  component: lazyRouteComponent(() => import("./pages/approvals.js"), "ApprovalsPage"),
});
const calendars = createRoute({
  getParentRoute: () => root,
  path: "/calendars",
  validateSearch: (search: Search) => optional({ name: text(search.name), year: text(search.year) }),
  component: lazyRouteComponent(() => import("./pages/calendars.js"), "CalendarsPage"),
});
const workflows = createRoute({
  getParentRoute: () => root,
  path: "/workflows",
  component: lazyRouteComponent(() => import("./pages/workflows.js"), "WorkflowsPage"),
});
const workflow = createRoute({
  getParentRoute: () => root,
  path: "/workflow/$name",
  validateSearch: (search: Search) => optional({ version: Number(search.version) || undefined }),
  component: lazyRouteComponent(() => import("./pages/workflows.js"), "WorkflowPage"),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: "/webhooks",
  validateSearch: (search: Search) => optional({ id: text(search.id) }),
  component: lazyRouteComponent(() => import("./pages/webhooks.js"), "WebhooksPage"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings.js"), "SettingsPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    now,
    schedules,
    schedule,
    edit,
    create,
    runs,
    run,
    approvals,
    calendars,
    workflows,
    workflow,
    webhooks,
    settings,
  ]),
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
