// One event stream for the whole console. It refreshes what is shown; lists count updates instead of moving.
import { Unauthenticated } from "belfry";
import { useEffect, useSyncExternalStore } from "react";
import { queryClient } from "./queries.js";
import { askForKey, useSession } from "./session.js";

interface Live {
  /** Whether the server answered lately. */
  connected: boolean;
  since: Date;
  /** Schedules that changed since the list was last read. */
  updates: number;
}

let live: Live = { connected: true, since: new Date(), updates: 0 };
const listeners = new Set<() => void>();

function change(part: Partial<Live>): void {
  live = { ...live, ...part };
  for (const listener of listeners) listener();
}

export function useLive(): Live {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => live,
  );
}

export const clearUpdates = (): void => change({ updates: 0 });

/** Many events may arrive at once: one refresh serves them all. */
const REFRESH_MS = 400;
const waiting = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

function refresh(noun: string): void {
  waiting.add(noun);
  timer ??= setTimeout(() => {
    timer = undefined;
    const nouns = [...waiting];
    waiting.clear();
    void queryClient.invalidateQueries({
      predicate: ({ queryKey }) => nouns.includes(String(queryKey[0])) && queryKey[1] !== "list",
    });
  }, REFRESH_MS);
}

function heard(type: string): void {
  const [noun] = type.split(".");
  if (type === "reset") {
    void queryClient.invalidateQueries();
    return;
  }
  if (noun === "schedule") change({ updates: live.updates + 1 });
  refresh("runs");
  refresh("schedules");
  if (noun === "approval" || type === "run.awaiting_approval") refresh("approvals");
}

/** Follows the events of the tenant while the console is open. */
export function useEvents(): void {
  const { client, asks } = useSession();
  useEffect(() => {
    if (asks) return;
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const event of client.events({ signal: stop.signal })) heard(event.type);
    };
    follow().catch((error: unknown) => {
      if (error instanceof Unauthenticated) askForKey();
    });
    return () => stop.abort(new Error("the console shows something else"));
  }, [client, asks]);

  // The stream reconnects by itself and says nothing about it, so a cheap request tells whether the server answers.
  useEffect(() => {
    let stopped = false;
    const look = async (): Promise<void> => {
      const connected = await fetch("/healthz", { cache: "no-store" }).then(
        (response) => response.ok,
        () => false,
      );
      if (stopped || connected === live.connected) return;
      change({ connected, since: new Date() });
      if (connected) void queryClient.invalidateQueries();
    };
    const interval = setInterval(() => void look(), 3000);
    return () => {
      stopped = true;
      clearInterval(interval);
    };
  }, []);
}
