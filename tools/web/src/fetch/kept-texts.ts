// Texts of the latest pages in memory, so that a later page of a long text comes from the same download.

/** A downloaded text, ready to be shown. */
export interface FetchedText {
  readonly text: string;
  /** First line of the result. */
  readonly head: string;
  readonly notes: readonly string[];
  /** True if the server reported an error. */
  readonly failed: boolean;
}

/** The texts that were fetched last, by the name of the request. */
export interface KeptTexts {
  get(name: string): FetchedText | undefined;
  keep(name: string, text: FetchedText): void;
}

/** Maximum number of texts. */
const MOST_TEXTS = 16;

/** Maximum number of characters in all texts. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Creates an empty memory. When it is full, the oldest texts leave it. */
export function createKeptTexts(): KeptTexts {
  const kept = new Map<string, FetchedText>();
  const size = (): number => [...kept.values()].reduce((sum, { text }) => sum + text.length, 0);
  return {
    get: (name) => kept.get(name),
    keep(name, text) {
      kept.delete(name);
      kept.set(name, text);
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_TEXTS && size() <= MOST_CHARACTERS) break;
        kept.delete(oldest);
      }
    },
  };
}
