// The stream is read correctly, wherever the network cuts it and however its lines end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BelfryClient } from "belfry";
import type { BelfryEvent } from "belfry";

const BYTES = new TextEncoder().encode(
  ": hello\r\nid: 1\r\nevent: a\r\ndata: {\"type\":\"a\",\r\ndata: \"data\":{}}\r\n\r\nid: 2\n\n\n"
  + "id: 3\rdata: {\"type\":\"ü\"}\r\rdata:{\"type\":\"b\"}\n\ndata: cut");
const EXPECTED = [{ id: "1", type: "a", data: {} }, { id: "3", type: "ü" }, { id: "3", type: "b" }];

for (const size of [1, 2, 3, 7, 1000]) {
  test(`events are the same in chunks of ${size} bytes`, async () => {
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        for (let first = 0; first < BYTES.length; first += size) stream.enqueue(BYTES.slice(first, first + size));
        stream.close();
      },
    });
    const client = new BelfryClient({ fetch: async () => new Response(body) });
    const seen: BelfryEvent[] = [];
    for await (const event of client.events()) if (seen.push(event) === EXPECTED.length) break;
    assert.deepEqual(seen, EXPECTED);
  });
}
