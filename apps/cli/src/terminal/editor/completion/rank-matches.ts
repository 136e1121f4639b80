// Finds the names that match a query, best first. The letters of the query are in the name in the same order.

interface Match {
  readonly name: string;
  readonly score: number;
}

/** Number of matches after which only the best are kept. Sorting all matches of a large workspace would take too long. */
const MAX_UNSORTED = 1_000;

/** Returns the best matches of a query, at most `most`. Equal matches are sorted by length, then by name. */
export function rankMatches(names: readonly string[], query: string, most: number): readonly string[] {
  const sought = query.toLowerCase();
  let found: Match[] = [];
  for (const name of names) {
    const score = scoreOf(name.toLowerCase(), sought);
    if (score === undefined) continue;
    found.push({ name, score });
    if (found.length >= most + MAX_UNSORTED) found = best(found, most);
  }
  return best(found, most).map(({ name }) => name);
}

function best(found: readonly Match[], most: number): Match[] {
  const byRank = (a: Match, b: Match): number =>
    a.score - b.score || a.name.length - b.name.length || (a.name < b.name ? -1 : 1);
  return found.toSorted(byRank).slice(0, most);
}

/** Returns a number that is smaller for a better match. `undefined` if the name does not match. */
function scoreOf(name: string, query: string): number | undefined {
  if (query === '') return name.split('/').length;
  const base = name.slice(name.lastIndexOf('/', name.length - 2) + 1);
  if (base.startsWith(query)) return 0;
  if (name.startsWith(query)) return 1;
  if (base.includes(query)) return 2;
  if (name.includes(query)) return 3;
  const inBase = gapsIn(base, query);
  if (inBase !== undefined) return 4 + inBase;
  const inName = gapsIn(name, query);
  return inName === undefined ? undefined : 100 + inName;
}

/** Returns the number of gaps between the letters of the query. `undefined` if a letter is missing. */
function gapsIn(name: string, query: string): number | undefined {
  let at = -1;
  let gaps = 0;
  for (const letter of query) {
    const next = name.indexOf(letter, at + 1);
    if (next === -1) return undefined;
    if (at !== -1 && next !== at + 1) gaps += 1;
    at = next;
  }
  return gaps;
}
