// The name that somebody who misspelt one most likely meant.

/** The longest name that is compared: work grows with its square, and a model may say any. */
const LONGEST = 200;

/** The nearest of the names by single edits (a swap of neighbours is one), when it is near enough to be meant. */
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

/** The optimal string alignment distance: three rows of the usual table, made one after the other. */
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
