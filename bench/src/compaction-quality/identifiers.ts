// Identifiers in a line: paths, symbols and values. Written down here so that a figure of today can be made again tomorrow.

/** What an identifier names. */
export type IdentifierKind = 'path' | 'symbol' | 'value';

/** An identifier, and where it begins in its line. */
export interface Identifier {
  readonly text: string;
  readonly kind: IdentifierKind;
  readonly at: number;
}

/** Runs of characters that an identifier may be made of. */
const RUN = /[A-Za-z0-9_$@~./#-]+/g;
/** File endings by which a name without a slash is a path. */
const ENDING =
  /^[\w@.-]+\.(c|cc|cjs|cpp|css|go|h|html|java|js|json|jsonl|jsx|md|mjs|png|py|rb|rs|sh|sql|svg|toml|ts|tsx|txt|vue|xml|ya?ml)$/;
const SHORTEST = 5;

/**
 * Returns the identifiers of a line, in order.
 *
 * - A path has a known file ending; or it has two slashes or more, or a root (`/`, `~/`), and only names between them.
 * - A value is a number of three digits or more (points inside are part of it), or 6 to 40 hex digits with both a digit and
 *   a letter, with or without a `#`.
 * - A symbol has at least 5 characters and an inner mark that prose does not have: a capital after a small letter, an
 *   underscore, a digit after a letter, or two hyphens. A dot separates two symbols.
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

/** Tells whether a line holds nothing but identifiers and the marks of a list, so that it says nothing about any of them. */
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
