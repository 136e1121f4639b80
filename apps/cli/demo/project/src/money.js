/** Whole cents from an exact number of cents; a half goes up. */
export function roundHalfUp(cents) {
  return Math.floor(cents + 0.5);
}

/** `1999` as `19.99`. */
export function formatCents(cents) {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
