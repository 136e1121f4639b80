// How much one page holds at most. A result may have less room: `fitPage` then takes a smaller page.

/** How much of a text a page may hold. */
export interface PageBounds {
  readonly bytes: number;
  readonly lines: number;
}

/** Most bytes of a page. A result may have 50 KiB. */
export const PAGE_BYTES: number = 48 * 1024;

/** Most lines of a page, the last line in brackets included. */
export const PAGE_LINES = 2_000;
