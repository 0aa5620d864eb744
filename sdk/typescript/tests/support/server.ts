import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const PATIENCE_MS = 60_000;

/** What `look` returns once it is neither undefined nor false. */
export async function eventually<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never happened: ${what}`);
}

/**
 * A server on a store of its own. `BELFRY` names the program. `BELFRY_TEST_FLAGS` has the flags for an empty store;
 * without them it is SQLite in a new folder.
 */
export class TestServer {
  private readonly folder = mkdtempSync(join(tmpdir(), "belfry-sdk-"));
  private process: ChildProcess | undefined;
  private address = "127.0.0.1:0";
  url = "";

  private constructor(private readonly flags: string[]) {}

  static async start(...flags: string[]): Promise<TestServer> {
    const server = new TestServer(flags);
    writeFileSync(join(server.folder, "key"), randomBytes(32).toString("hex"), { mode: 0o600 });
    await server.start();
    return server;
  }

  /** Starts it, at the same address as before. */
  async start(): Promise<void> {
    const flags = JSON.parse(process.env.BELFRY_TEST_FLAGS ?? "[]") as string[];
    const all = ["serve", "--listen", this.address, "--data-dir", this.folder, "--min-interval", "1s",
      "--secret-key-file", join(this.folder, "key"), "--drain-seconds", "1", ...flags, ...this.flags];
    const started = spawn(process.env.BELFRY ?? "belfry", all, { stdio: ["ignore", "ignore", "pipe"] });
    this.process = started;
    let log = "";
    started.stderr.on("data", (text: Buffer) => (log += text.toString()));
    const address = await eventually(() => {
      if (started.exitCode !== null) throw new Error(`the server ended:\n${log}`);
      return /listening on http:\/\/(127\.0\.0\.1:\d+)/.exec(log)?.[1];
    }, "a server that listens");
    this.address = address;
    this.url = `http://${address}`;
    await eventually(async () => (await fetch(`${this.url}/readyz`).catch(() => undefined))?.ok, "a ready server");
  }

  /** Ends it without a goodbye. */
  async kill(): Promise<void> {
    const running = this.process;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
