import { after, before } from "node:test";
import { BelfryClient } from "belfry";
import type { ScheduleRequest } from "belfry";
import { TestServer } from "./server.js";

/** A server and a client for the tests of one file. */
export interface World {
  server: TestServer;
  client: BelfryClient;
}

export function aWorld(make: (url: string) => BelfryClient = (url) => new BelfryClient({ url })): World {
  const world = {} as World;
  before(async () => {
    world.server = await TestServer.start("--auth", "off");
    world.client = make(world.server.url);
  });
  after(() => world.server.stop());
  return world;
}

/** A definition that fires only when it is triggered. */
export const daily = (name: string, more: Partial<ScheduleRequest> = {}): ScheduleRequest => ({
  name,
  spec: { cron: ["0 9 * * *"], timezone: "America/New_York" },
  target: { type: "task", taskKind: "greet" },
  overlapPolicy: "allow_all",
  ...more,
});

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
