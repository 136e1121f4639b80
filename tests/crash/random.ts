// Repeatable random numbers: the same seed gives the same numbers.

/** Returns a random number from 0 (included) to 1 (excluded). */
export type Random = () => number;

/** Creates a generator of random numbers with the algorithm Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
