// The bound of what a server can count in one call.

/** Largest count of tokens that is believed, far above any context window. A larger number is no count, and is unknown. */
export const MOST_TOKENS = 1_000_000_000;
