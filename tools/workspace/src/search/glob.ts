// Glob: decides which files a pattern names. The project has its own implementation, because ripgrep's `--glob` also
// finds files that `.gitignore` excludes (`packages/**` would search `node_modules`), and Node's own is experimental
// and prints a warning. The time is linear in the length of the path, so no pattern makes it slow.

import type { ToolProblem } from '@tidemark/agent';

/** A parsed glob. */
export interface Glob {
  /**
   * Returns true if the glob names the file. A file may have several paths, with `/` as separator, and one matching
   * path is enough.
   */
  matches(...paths: readonly string[]): boolean;
  /**
   * Simple patterns for file names that match at least the same files. They narrow the search. Empty if the glob has no
   * such patterns.
   */
  readonly names: readonly string[];
}

type Token = 'star' | ((character: string) => boolean);
type GlobSegment = 'any' | readonly Token[];

const MOST_ALTERNATIVES = 64;
const MOST_CHARACTERS = 500;
const PLAIN_NAME = /^[\w.*?-]+$/;

/**
 * Parses a glob such as `*.ts`, `src/**`, `**` + `/*.{ts,tsx}` or `[a-c]?.md`. A leading `!` inverts the match. A glob
 * without a slash matches the file name in any folder. Names that begin with a dot have no special meaning.
 */
export function readGlob(text: string): Glob | ToolProblem {
  const turned = text.startsWith('!');
  const plain = text.slice(turned ? 1 : 0).replace(/^(\.?\/)+/, '');
  if (plain === '') return { problem: 'glob: it is empty. Give one as `*.ts` or `src/**`.' };
  if (plain.length > MOST_CHARACTERS) return { problem: `glob: it is longer than ${MOST_CHARACTERS} characters.` };
  const alternatives = expandBraces(plain);
  if (alternatives === undefined)
    return { problem: `glob: its braces do not pair, or stand for more than ${MOST_ALTERNATIVES} patterns.` };
  const patterns = alternatives.map(segmentsOf);
  const last = alternatives.map((one) => one.slice(one.lastIndexOf('/') + 1));
  return {
    matches: (...paths) =>
      paths.some((path) => patterns.some((pattern) => matchesPath(pattern, path.split('/')))) !== turned,
    names: !turned && last.every((name) => name !== '**' && PLAIN_NAME.test(name)) ? last : [],
  };
}

/** Returns the patterns without braces. Returns `undefined` if the braces do not pair or produce too many patterns. */
function expandBraces(text: string): readonly string[] | undefined {
  const close = text.indexOf('}');
  if (close === -1) return text.includes('{') ? undefined : [text];
  const open = text.lastIndexOf('{', close);
  if (open === -1) return undefined;
  const inner = text.slice(open + 1, close).split(',');
  const expanded: string[] = [];
  for (const part of inner) {
    const rest = expandBraces(text.slice(0, open) + part + text.slice(close + 1));
    if (rest === undefined || expanded.length + rest.length > MOST_ALTERNATIVES) return undefined;
    expanded.push(...rest);
  }
  return expanded;
}

function segmentsOf(pattern: string): readonly GlobSegment[] {
  const names = pattern.endsWith('/') ? [...pattern.slice(0, -1).split('/'), '**'] : pattern.split('/');
  return (names.length === 1 ? ['**', ...names] : names).map((name) => (name === '**' ? 'any' : tokensOf(name)));
}

function tokensOf(name: string): readonly Token[] {
  const parts = name.match(/\*+|\?|\[[!^]?\]?[^\]]*\]|\\?./gsu) ?? [];
  return parts.map((part): Token => {
    if (part.startsWith('*')) return 'star';
    if (part === '?') return () => true;
    if (part.startsWith('[') && part.length > 2) return classOf(part.slice(1, -1));
    const literal = part.length > 1 && part.startsWith('\\') ? part.slice(1) : part;
    return (character) => character === literal;
  });
}

function classOf(inner: string): (character: string) => boolean {
  const without = /^[!^]/.test(inner);
  const ranges = [...(without ? inner.slice(1) : inner).matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, one]) => ({
    from: from ?? one ?? '',
    to: to ?? one ?? '',
  }));
  return (character) => ranges.some(({ from, to }) => character >= from && character <= to) !== without;
}

/** Matches segment by segment. `reached` holds the positions in the path that the segments so far can end at. */
function matchesPath(pattern: readonly GlobSegment[], names: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const segment of pattern) {
    const next = new Set<number>();
    if (segment === 'any') for (let at = Math.min(...reached); at <= names.length; at += 1) next.add(at);
    else for (const at of reached) if (matchesName(segment, names[at])) next.add(at + 1);
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(names.length);
}

/** Backtracks only to the last star. Earlier stars never need to match more characters than they already do. */
function matchesName(tokens: readonly Token[], name: string | undefined): boolean {
  if (name === undefined) return false;
  const characters = Array.from(name);
  let token = 0;
  let star: { token: number; at: number } | undefined;
  for (let at = 0; at < characters.length;) {
    const one = tokens[token];
    if (one === 'star') star = { token, at };
    if (one !== undefined && (one === 'star' || one(characters[at] ?? ''))) {
      token += 1;
      at += one === 'star' ? 0 : 1;
    } else if (star !== undefined) {
      star = { token: star.token, at: star.at + 1 };
      token = star.token + 1;
      at = star.at;
    } else return false;
  }
  return tokens.slice(token).every((one) => one === 'star');
}
