import type { Page } from "./call.js";

/** Iterates over the items of all pages. It reads the next page when the caller asks for its first item. */
export async function* iterate<Item>(
  list: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page: Page<Item> = await list(cursor);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
