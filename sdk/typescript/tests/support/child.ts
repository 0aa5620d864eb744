import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { eventually } from "./server.js";

/** A program of the tests or of the examples, and what it printed. */
export class Child {
  output = "";
  private readonly process: ChildProcess;
  private readonly exit: Promise<number | null>;

  constructor(script: string, environment: Record<string, string>, ...args: string[]) {
    const path = fileURLToPath(new URL(`../../${script}`, import.meta.url));
    this.process = spawn(process.execPath, [path, ...args], { env: { ...process.env, ...environment } });
    this.process.stdout?.on("data", (text: Buffer) => (this.output += text.toString()));
    this.process.stderr?.on("data", (text: Buffer) => (this.output += text.toString()));
    this.exit = new Promise((resolve) => this.process.once("exit", resolve));
  }

  said(text: string): Promise<boolean> {
    return eventually(() => {
      if (this.process.exitCode !== null && !this.output.includes(text)) throw new Error(`it ended:\n${this.output}`);
      return this.output.includes(text);
    }, `${text} in the output`);
  }

  send(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** The exit code, once it has ended. */
  ended(): Promise<number | null> {
    return this.exit;
  }
}
