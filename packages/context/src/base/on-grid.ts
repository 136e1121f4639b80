// Sizes on a grid: what a provider reports that keeps entries of so many tokens, wherever those end.

/** Entries of `first`, `first + step`, ... tokens. */
export interface Grid {
  readonly first: number;
  readonly step: number;
}

/** The longest entry in a prefix of so many tokens; 0 where there is none. */
export function onGrid(tokens: number, { first, step }: Grid): number {
  return tokens < first ? 0 : tokens - ((tokens - first) % step);
}
