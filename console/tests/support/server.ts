// A real server with an empty store on SQLite, on a free port, for one test file.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = process.env.BELFRY ?? "build/belfry";

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createServer();
    socket.on("error", reject);
    socket.listen(0, "127.0.0.1", () => {
      const address = socket.address();
      socket.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

/** Waits for a condition, at most 30 seconds. */
export async function until<T>(what: string, condition: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await condition().catch(() => undefined);
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited 30 s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export class Server {
  private process: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), "belfry-console-"));
  private constructor(readonly port: number) {}

  static async start(): Promise<Server> {
    const server = new Server(await freePort());
    await server.resume();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the program again, on the same port and store. */
  async resume(): Promise<void> {
    const flags = [
      "--listen",
      `127.0.0.1:${this.port}`,
      "--data-dir",
      this.folder,
      "--min-interval",
      "1s",
      "--log-level",
      "error",
    ];
    this.process = spawn(PROGRAM, ["serve", ...flags], { stdio: ["ignore", "ignore", "inherit"] });
    await until("the server answers", async () => (await fetch(`${this.url}/readyz`)).ok);
  }

  /** Runs a command of the program on the same store. */
  async command(...words: string[]): Promise<string> {
    const child = spawn(PROGRAM, [...words, "--data-dir", this.folder], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += piece.toString();
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code !== 0) throw new Error(`belfry ${words.join(" ")}: exit code ${String(code)}`);
    return text;
  }

  async halt(): Promise<void> {
    const child = this.process;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGTERM");
    await ended;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
