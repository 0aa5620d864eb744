// The queries of the console. Their keys begin with the noun, so that an event of the stream can refresh a noun.
import { QueryClient, queryOptions, QueryCache, MutationCache } from "@tanstack/react-query";
import type { Approval, ListRunsOptions, ListSchedulesOptions, Run } from "belfry";
import { ApiError, Unauthenticated } from "belfry";
import { askForKey, client } from "./session.js";

function onError(error: unknown): void {
  if (error instanceof Unauthenticated) askForKey();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The SDK repeats what is safe. Here only a lost connection is worth another attempt.
      retry: (count, error) => !(error instanceof ApiError) && count < 2,
    },
  },
});

export type SchedulesFilter = Pick<ListSchedulesOptions, "status" | "label" | "target" | "targetKind" | "q" | "sort">;

/** What a slot of a strip needs. */
export type Slot = Pick<Run, "id" | "scheduledAt" | "status" | "reason" | "startedAt" | "completedAt">;
const SLOT = ["id", "scheduledAt", "status", "reason", "startedAt", "completedAt"] as const;

const COUNT_MAX = 200;
export interface Count {
  count: number;
  more: boolean;
}
const counted = (page: { items: unknown[]; nextCursor: string | null }): Count => ({
  count: page.items.length,
  more: page.nextCursor !== null,
});

export const schedulesPage = (filter: SchedulesFilter, cursor: string | undefined) =>
  client().listSchedules({ ...filter, limit: 100, cursor });

export const strip = (id: string) =>
  queryOptions({
    queryKey: ["runs", "strip", id],
    queryFn: async () => (await client().listScheduleRuns(id, { limit: 20, fields: SLOT })).items.reverse() as Slot[],
    staleTime: 30_000,
  });

export const ledger = (id: string) =>
  queryOptions({
    queryKey: ["runs", "ledger", id],
    queryFn: async () => (await client().listScheduleRuns(id, { limit: 100, fields: SLOT })).items.reverse() as Slot[],
  });

export const schedule = (name: string) =>
  queryOptions({
    queryKey: ["schedules", "one", name],
    queryFn: () => client().getSchedule(name),
  });

export const nextTen = (name: string) =>
  queryOptions({
    queryKey: ["schedules", "next", name],
    queryFn: () => client().previewSchedule(name, { limit: 10 }),
  });

export const scheduleHealth = (name: string) =>
  queryOptions({
    queryKey: ["runs", "health", name],
    queryFn: () => client().getScheduleHealth(name),
  });

export const why = (name: string, at: string) =>
  queryOptions({
    queryKey: ["runs", "why", name, at],
    queryFn: () => client().whySchedule(name, { at }),
  });

export const run = (id: string) => queryOptions({ queryKey: ["runs", "one", id], queryFn: () => client().getRun(id) });
export const runNodes = (id: string) =>
  queryOptions({
    queryKey: ["runs", "nodes", id],
    queryFn: () => client().getRunNodes(id),
  });
export const runEvents = (id: string) =>
  queryOptions({
    queryKey: ["runs", "events", id],
    queryFn: () => client().listRunEvents(id, { limit: 200 }),
  });
export const runApprovals = (id: string) =>
  queryOptions({
    queryKey: ["approvals", "run", id],
    queryFn: () => client().listRunApprovals(id),
  });

export const approvals = (status: Approval["status"]) =>
  queryOptions({
    queryKey: ["approvals", status],
    queryFn: () => client().listApprovals({ status, limit: 100 }),
  });

/** How many runs have a status; the API has no totals, so counting ends at 200. */
export const runCount = (status: NonNullable<ListRunsOptions["status"]>) =>
  queryOptions({
    queryKey: ["runs", "count", status],
    queryFn: async () => counted(await client().listRuns({ status, limit: COUNT_MAX, fields: ["id"] })),
  });

export const scheduleCount = (status: "active" | "paused" | "completed") =>
  queryOptions({
    queryKey: ["schedules", "count", status],
    queryFn: async () => counted(await client().listSchedules({ status, limit: COUNT_MAX, fields: ["id"] })),
  });

export const recentRuns = (status: NonNullable<ListRunsOptions["status"]>, hours: number) =>
  queryOptions({
    queryKey: ["runs", "recent", status, hours],
    queryFn: () =>
      client().listRuns({ status, from: new Date(Date.now() - hours * 3_600_000).toISOString(), limit: 50 }),
  });

export const nextHour = () =>
  queryOptions({
    queryKey: ["schedules", "nextHour"],
    queryFn: () =>
      client().listSchedules({
        sort: "nextRunAt",
        nextTo: new Date(Date.now() + 3_600_000).toISOString(),
        limit: 8,
      }),
  });

export const hourLoad = () =>
  queryOptions({
    queryKey: ["schedules", "load", "hour"],
    queryFn: () => client().getLoad({ bucket: "PT1M" }),
    staleTime: 60_000,
  });

export const dayLoad = () =>
  queryOptions({
    queryKey: ["schedules", "load", "day"],
    queryFn: () => {
      const from = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
      const to = new Date(from.getTime() + 24 * 3_600_000);
      return client().getLoad({ from: from.toISOString(), to: to.toISOString(), bucket: "PT5M" });
    },
    staleTime: 60_000,
  });

export const tenant = () =>
  queryOptions({
    queryKey: ["tenant"],
    queryFn: () => client().getTenant(client().tenant),
    staleTime: 30_000,
  });
export const tenants = () =>
  queryOptions({ queryKey: ["tenants"], queryFn: () => client().listTenants({ limit: 200 }) });
export const health = () =>
  queryOptions({
    queryKey: ["health"],
    queryFn: () => client().getHealth(),
    refetchInterval: 15_000,
  });
export const version = () =>
  queryOptions({
    queryKey: ["version"],
    queryFn: () => client().getVersion(),
    staleTime: Infinity,
  });
export const calendars = () =>
  queryOptions({
    queryKey: ["calendars"],
    queryFn: () => client().listCalendars({ limit: 200 }),
  });
export const calendar = (name: string) =>
  queryOptions({
    queryKey: ["calendars", name],
    queryFn: () => client().getCalendar(name),
  });
export const workflows = () =>
  queryOptions({
    queryKey: ["workflows"],
    queryFn: () => client().listWorkflows({ limit: 200 }),
  });
export const workflow = (name: string, at: number | undefined) =>
  queryOptions({
    queryKey: ["workflows", name, at ?? "newest"],
    queryFn: () => client().getWorkflow(name, { version: at }),
  });
export const workflowVersions = (name: string) =>
  queryOptions({
    queryKey: ["workflows", name, "versions"],
    queryFn: () => client().listWorkflowVersions(name, { limit: 100 }),
  });
export const webhooks = () =>
  queryOptions({
    queryKey: ["webhooks"],
    queryFn: () => client().listWebhooks({ limit: 100 }),
  });
export const deliveries = (id: string) =>
  queryOptions({
    queryKey: ["webhooks", id, "deliveries"],
    queryFn: () => client().listDeliveries(id, { limit: 50 }),
  });
export const keys = () => queryOptions({ queryKey: ["keys"], queryFn: () => client().listKeys({ limit: 100 }) });
