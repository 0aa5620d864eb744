// Server-Sent Events: text to messages. https://html.spec.whatwg.org/multipage/server-sent-events.html

export interface Message {
  /** The last id of the stream, which this message may repeat. */
  id?: string;
  event?: string;
  data?: string;
  /** How long the server asks clients to wait before they reconnect. */
  retryMs?: number;
}

/** The messages of a stream, without comments. A message that the end of the stream cuts off is dropped. */
export async function* messagesOf(
  chunks: AsyncIterable<string>,
): AsyncGenerator<Message, void, undefined> {
  let rest = "";
  let message: Message = {};
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") {
        add(message, line);
      } else {
        if (Object.keys(message).length > 0) yield message;
        message = {};
      }
    }
  }
}

function add(message: Message, line: string): void {
  const colon = line.indexOf(":");
  if (colon === 0) return;
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (name === "data") message.data = message.data === undefined ? value : `${message.data}\n${value}`;
  else if (name === "event" || name === "id") message[name] = value;
  else if (name === "retry" && /^\d+$/.test(value)) message.retryMs = Number(value);
}

/** The text of a response, as it arrives. `onChunk` hears of every part, including comments. */
export async function* textOf(response: Response, onChunk: () => void): AsyncGenerator<string, void, undefined> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk();
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
