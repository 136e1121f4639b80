// Finds the name that the author of a misspelled name most likely meant.

/**
 * Longest name that is compared, in characters. The work grows with the square of the length, and a model may send any
 * name.
 */
const LONGEST = 200;

/**
 * Returns the name that needs the fewest edits of single characters. A swap of two neighbours is one edit. Returns
 * `undefined` if no name is near enough: at most one third of the characters may differ, or one edit in a short name.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const most = Math.max(1, Math.floor(name.length / 3));
  const [nearest] = names
    .filter((one) => one.length <= LONGEST)
    .map((one) => ({ one, edits: editsBetween(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return nearest?.one;
}

/**
 * Returns the optimal string alignment distance of two names. It keeps only three rows of the usual table in memory.
 */
function editsBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + (same ? 0 : 1),
          swapped ? at(beforeLast, j - 2) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
