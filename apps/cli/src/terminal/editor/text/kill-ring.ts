// Kill ring: the latest deleted texts, which can be inserted again.

/** Deleted texts, newest last. */
export type KillRing = readonly string[];

const MAX_KILLS = 30;

/** Adds a deleted text. */
export function addKill(ring: KillRing, text: string): KillRing {
  return text === '' ? ring : [...ring.slice(-MAX_KILLS + 1), text];
}

/** Joins a deleted text with the newest one, because the two deletions follow one another. */
export function joinKill(ring: KillRing, text: string, place: 'before' | 'after'): KillRing {
  const newest = ring.at(-1);
  if (newest === undefined) return addKill(ring, text);
  return [...ring.slice(0, -1), place === 'before' ? text + newest : newest + text];
}

/** Moves the newest text to the end of the ring, so that the one before it is the newest. */
export function rotateKills(ring: KillRing): KillRing {
  return [...ring.slice(-1), ...ring.slice(0, -1)];
}
