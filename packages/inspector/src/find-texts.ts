// Search in the texts of the blocks of a request.

/** Blocks that contain a text. */
export interface FoundBlocks {
  readonly blocks: readonly { readonly block: number; readonly count: number; readonly excerpt: string }[];
  /** True if more blocks contain the text. */
  readonly more: boolean;
}

const MOST_FOUND = 200;
const AROUND = 60;

/** Finds a text in the texts of blocks, in any case. `read` returns the text of a block. */
export function findTexts<Item>(items: readonly Item[], read: (item: Item) => string, query: string): FoundBlocks {
  const wanted = query.toLowerCase();
  const found: FoundBlocks['blocks'][number][] = [];
  for (const [block, item] of items.entries()) {
    const text = read(item);
    const lower = text.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at === -1) continue;
    if (found.length === MOST_FOUND) return { blocks: found, more: true };
    const excerpt = text.slice(Math.max(0, at - AROUND), at + wanted.length + AROUND);
    found.push({ block, count: lower.split(wanted).length - 1, excerpt });
  }
  return { blocks: found, more: false };
}
