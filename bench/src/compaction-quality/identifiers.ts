// Identifiers in a line: paths, symbols and values. The rules are fixed here, so that a measured figure can be
// reproduced later.

/** Kind of thing that an identifier names. */
export type IdentifierKind = 'path' | 'symbol' | 'value';

/** An identifier, and the place in its line where it begins. */
export interface Identifier {
  readonly text: string;
  readonly kind: IdentifierKind;
  readonly at: number;
}

const RUN = /[A-Za-z0-9_$@~./#-]+/g;
/** Matches file endings. A name without a slash is a path if it has such an ending. */
const ENDING =
  /^[\w@.-]+\.(c|cc|cjs|cpp|css|go|h|html|java|js|json|jsonl|jsx|md|mjs|png|py|rb|rs|sh|sql|svg|toml|ts|tsx|txt|vue|xml|ya?ml)$/;
const SHORTEST = 5;

/**
 * Returns the identifiers of a line, in order.
 *
 * - A path has a known file ending, or only names between two or more slashes, or only names after a root (`/`, `~/`).
 * - A value is a number of three digits or more, which can contain dots. A string of 6 to 40 hex digits with both a
 *   digit and a letter is also a value, with or without a `#`.
 * - A symbol has at least 5 characters and a mark inside it that prose words do not have: a capital after a small
 *   letter, an underscore, a digit after a letter, or two hyphens. A dot separates two symbols.
 */
export function identifiersIn(line: string): readonly Identifier[] {
  const found: Identifier[] = [];
  for (const { 0: run, index } of line.matchAll(RUN)) {
    const lead = /^(\/\/|\.\/|[-.#]*(?=[A-Za-z0-9_$@~/]))/.exec(run)?.[0].length ?? 0;
    const begin = run.startsWith('../', lead - 2) ? lead - 2 : lead;
    const text = run.slice(begin).replace(/[./#~@-]+$/, '');
    if (isPath(text)) found.push({ text, kind: 'path', at: index + begin });
    else found.push(...namesIn(text, index + begin));
  }
  return found;
}

/** Checks if a line contains only identifiers and list marks, and therefore no information about them. */
export function isBare(line: string): boolean {
  let rest = line;
  for (const { text } of identifiersIn(line)) rest = rest.replace(text, '');
  return !/[\p{L}\p{N}(){}=<>+?!&|%;]/u.test(rest.replaceAll(/^\s*(\d+[.)]|\[\d+\])/g, ''));
}

function isPath(text: string): boolean {
  if (ENDING.test(text.slice(text.lastIndexOf('/') + 1)) && !/^\d/.test(text)) return true;
  const names = text.replace(/^(~|\.\.)?\//, '').split('/');
  const rooted = /^(~|\.\.)?\//.test(text);
  return names.length > (rooted ? 1 : 2) && names.every((name) => /[A-Za-z]/.test(name));
}

function namesIn(run: string, at: number): readonly Identifier[] {
  if (isValue(run)) return [{ text: run, kind: 'value', at }];
  const found: Identifier[] = [];
  for (const { 0: name, index } of run.matchAll(/[\w$-]+/g)) {
    const text = name.replaceAll(/^-+|-+$/g, '');
    const kind = isValue(text) ? 'value' : isSymbol(text) ? 'symbol' : undefined;
    if (kind !== undefined) found.push({ text, kind, at: at + index + name.indexOf(text) });
  }
  return found;
}

function isValue(text: string): boolean {
  if (/^\d[\d.]*$/.test(text)) return text.replaceAll('.', '').length >= 3;
  return /^[0-9a-f]{6,40}$/.test(text) && /\d/.test(text) && /[a-f]/.test(text);
}

function isSymbol(text: string): boolean {
  if (!/^[A-Za-z_$]/.test(text) || text.length < SHORTEST) return false;
  return /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z]\d|[A-Za-z0-9]-[A-Za-z0-9]+-[A-Za-z0-9]/.test(text);
}
