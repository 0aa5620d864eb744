import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage["headers"];
  body: unknown;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  /** Closes the connection without a response. */
  close?: boolean;
}

/** A server that answers as the test says, and remembers the requests. */
export class Stub {
  readonly received: Received[] = [];
  private readonly server: Server;

  constructor(private readonly answer: (request: Received, number: number) => Answer | Promise<Answer>) {
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  static async start(answer: (request: Received, number: number) => Answer | Promise<Answer>): Promise<Stub> {
    const stub = new Stub(answer);
    await new Promise<void>((resolve) => stub.server.listen(0, "127.0.0.1", resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const url = new URL(request.url ?? "/", "http://stub");
    const isJson = request.headers["content-type"] === "application/json";
    const received: Received = {
      method: request.method ?? "",
      path: (request.url ?? "").split("?")[0] ?? "",
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: isJson && text ? JSON.parse(text) : text || undefined,
    };
    this.received.push(received);
    const answer = await this.answer(received, this.received.length - 1);
    if (answer.close) return void request.socket.destroy();
    const type = answer.text === undefined ? { "Content-Type": "application/json" } : {};
    response.writeHead(answer.status ?? 200, { ...type, ...answer.headers });
    response.end(answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body)));
  }
}
