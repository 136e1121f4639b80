// Glob: decides which files a pattern matches. ripgrep's `--glob` also finds files that `.gitignore` excludes
// (`packages/**` would search `node_modules`). Node's own glob never matches hidden files. Therefore minimatch is used.
// It does not backtrack, so no pattern makes it slow. It is imported when a glob is parsed for the first time.

import type { ToolProblem } from '@tidemark/agent';

/** A parsed glob. */
export interface Glob {
  /**
   * Returns true if the glob matches one of the paths. All paths mean the same file, but can be relative to different
   * folders. Their separator is `/`.
   */
  matches(...paths: readonly string[]): boolean;
  /**
   * Simple patterns for file names, without folders. They match at least all files that the glob matches. With them,
   * ripgrep searches fewer files. Empty if the glob cannot be reduced to such patterns.
   */
  readonly names: readonly string[];
}

const MAX_ALTERNATIVES = 64;
const MAX_CHARACTERS = 500;
const PLAIN_NAME = /^[\w.*?-]+$/;

/**
 * Braces are expanded before minimatch receives the pattern. `*` also matches hidden files. `+(`, and `!` or `#` at the
 * beginning, have no special meaning.
 */
const OPTIONS = { dot: true, matchBase: true, nobrace: true, nocomment: true, noext: true, nonegate: true } as const;

/**
 * Parses a glob such as `*.ts`, `src/**`, `*.{ts,tsx}` or `[a-c]?.md`. A leading `!` inverts the match. A glob without
 * a slash matches the file name in any folder. A glob that ends with a slash matches all files below that folder.
 */
export async function readGlob(text: string): Promise<Glob | ToolProblem> {
  const turned = text.startsWith('!');
  const plain = text.slice(turned ? 1 : 0).replace(/^(\.?\/)+/, '');
  if (plain === '') return { problem: '`glob` is empty. Pass a glob such as `*.ts` or `src/**`.' };
  if (plain.length > MAX_CHARACTERS)
    return { problem: `\`glob\` is longer than ${MAX_CHARACTERS} characters. Pass a shorter glob.` };
  const { Minimatch, braceExpand } = await import('minimatch');
  const expanded = braceExpand(withoutSingles(plain), { braceExpandMax: MAX_ALTERNATIVES + 1 });
  if (!bracesPair(plain) || expanded.length === 0 || expanded.length > MAX_ALTERNATIVES)
    return {
      problem: `The braces of \`glob\` are not balanced, or they expand to more than ${MAX_ALTERNATIVES} patterns. Pass a simpler glob.`,
    };
  const patterns = expanded.map((one) => new Minimatch(one.endsWith('/') ? `${one}**` : one, OPTIONS));
  const last = expanded.map((one) => one.slice(one.lastIndexOf('/') + 1));
  return {
    matches: (...paths) => paths.some((path) => patterns.some((pattern) => pattern.match(path))) !== turned,
    names: !turned && last.every((name) => name !== '**' && PLAIN_NAME.test(name)) ? last : [],
  };
}

/** Removes the braces around a single alternative, such as `{ts}`. A shell would treat these braces as plain text. */
function withoutSingles(text: string): string {
  return text.replace(/\{([^{},]*)\}/g, '$1');
}

function bracesPair(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
