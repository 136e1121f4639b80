// Terms of a search over texts. The index of the database and the excerpts for people divide texts into the same words:
// runs of letters and digits, in lower case and without accents.

/** Words in their order that a text must contain. */
export interface SearchTerm {
  readonly words: readonly string[];
  /** True if the last word of the text can be longer, as for a word that is still being typed. */
  readonly begins: boolean;
}

/** Shortest word that also finds longer ones. */
const SHORTEST_BEGINNING = 2;
const WORDS = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;

/**
 * Returns the terms of a search. A text in quotes is found as it is. Each other word is found at the beginning of words.
 * A path or a name with signs, such as `src/rates.ts`, is a term of several words. Empty if the search has no word.
 */
export function parseSearch(search: string): readonly SearchTerm[] {
  return [...search.matchAll(/"([^"]*)"?|[^\s"]+/g)].flatMap(([whole, quoted]): readonly SearchTerm[] => {
    const words = wordsIn(quoted ?? whole).map(({ word }) => word);
    const last = words.at(-1);
    if (last === undefined) return [];
    return [{ words, begins: quoted === undefined && last.length >= SHORTEST_BEGINNING }];
  });
}

/** Returns the expression of FTS5 that finds the rows with all terms: https://www.sqlite.org/fts5.html. */
export function matchExpression(terms: readonly SearchTerm[]): string {
  // Words have no quotes, so a term in quotes contains no syntax.
  return terms.map(({ words, begins }) => `"${words.join(' ')}"${begins ? ' *' : ''}`).join(' AND ');
}

/** Excerpt of a text. Parts at odd places are matches. */
export interface TextExcerpt {
  readonly parts: readonly string[];
}

/** Characters before the first match, and length of an excerpt. */
const BEFORE = 60;
const LENGTH = 220;

/** Returns the part of a text around its first match, in one line, or `undefined` if no term is in it. */
export function excerptOf(text: string, terms: readonly SearchTerm[]): TextExcerpt | undefined {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const found = matchesIn(line, terms);
  const [first] = found;
  if (first === undefined) return undefined;
  const from = first.start <= BEFORE ? 0 : wordStart(line, first.start - BEFORE);
  const to = Math.max(Math.min(line.length, from + LENGTH), first.end);
  const parts: string[] = [];
  let at = from;
  for (const { start, end } of found) {
    if (start < at || end > to) continue;
    parts.push(line.slice(at, start), line.slice(start, end));
    at = end;
  }
  parts.push(line.slice(at, to));
  return {
    parts: parts.map((part, index) =>
      withDots(part, index === 0 && from > 0, index === parts.length - 1 && to < line.length),
    ),
  };
}

function withDots(part: string, before: boolean, after: boolean): string {
  return `${before ? '…' : ''}${part}${after ? '…' : ''}`;
}

/** Returns the place after the next space, so that no word is cut. */
function wordStart(line: string, at: number): number {
  const space = line.indexOf(' ', at);
  return space === -1 || space > at + BEFORE / 2 ? at : space + 1;
}

interface FoundWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

function wordsIn(text: string): readonly FoundWord[] {
  return [...text.matchAll(WORDS)].map(({ 0: found, index }) => ({
    word: found.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase(),
    start: index,
    end: index + found.length,
  }));
}

/** Returns the places of the terms in a text, in order. */
function matchesIn(line: string, terms: readonly SearchTerm[]): readonly Omit<FoundWord, 'word'>[] {
  const words = wordsIn(line);
  return words.flatMap(({ start }, index) => {
    const lengths = terms.map((term) => (startsAt(words, index, term) ? term.words.length : 0));
    const end = words[index + Math.max(0, ...lengths) - 1]?.end;
    return end === undefined || end <= start ? [] : [{ start, end }];
  });
}

function startsAt(words: readonly FoundWord[], index: number, { words: wanted, begins }: SearchTerm): boolean {
  return wanted.every((word, offset) => {
    const found = words[index + offset]?.word;
    return begins && offset === wanted.length - 1 ? found?.startsWith(word) === true : found === word;
  });
}
