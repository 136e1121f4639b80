// How much one call shows: below what a result may hold inline, so that a page is never itself cut and kept again.

/** Bytes of one page; a result may have 50 KiB. */
export const PAGE_BYTES: number = 48 * 1024;

/** Lines of one page. */
export const PAGE_LINES = 2_000;
