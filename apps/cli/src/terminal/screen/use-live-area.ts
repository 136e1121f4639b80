// Area of the live part. It is smaller after the terminal has become smaller.

import { useRef } from 'react';

import type { ScreenSize } from './screen-size.ts';

/**
 * Returns the maximum size of the live part. A terminal that becomes narrower wraps the rows of the live part, and moves
 * those that no longer fit into its scrollback, before the program knows it. Nothing can erase them there. Until the
 * live part is empty, the area is therefore so small that the next narrower or lower size does not do this again.
 */
export function useLiveArea({ columns, rows }: ScreenSize, isLive: boolean): ScreenSize {
  const last = useRef<SeenSize>({ columns, rows, least: undefined });
  const { current } = last;
  const isSmaller = columns < current.columns || rows < current.rows;
  const least = isSmaller ? Math.min(columns, current.least ?? columns) : current.least;
  last.current = { columns, rows, least: isLive ? least : undefined };
  if (!isLive || least === undefined) return { columns, rows: Math.max(1, rows - 2) };
  const width = Math.min(columns * NARROW, Math.max(least * NARROW, LEGIBLE));
  return { columns: Math.max(1, Math.floor(width)), rows: Math.max(1, Math.floor(rows / 2) - ROWS_BELOW) };
}

interface SeenSize extends ScreenSize {
  /** Smallest number of columns since the live part is not empty. `undefined` if the terminal has not become smaller. */
  readonly least: number | undefined;
}

/** Share of the columns that is used when the terminal has become smaller. */
const NARROW = 0.75;

/** Number of columns that is used in a wide terminal at least. */
const LEGIBLE = 40;

/** Rows of the editor and the status line, if the prompt has one row. */
const ROWS_BELOW = 2;
