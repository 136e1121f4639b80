// Finds names in a text: paths and symbols that a later step may refer to. A plain word is not a name. Pruning and
// checkpoints both use this rule.

/**
 * A name found in a text. `path` is a file or folder path. `symbol` is an identifier or hash. `member` is several words
 * joined by dots, with a short last word: a member of an object, or a file with a rare ending.
 */
export interface FoundName {
  readonly name: string;
  readonly kind: 'path' | 'symbol' | 'member';
}

/**
 * Matches a sequence of characters that can be in a path or a symbol. The pattern is one character class, so every text
 * is read in one pass.
 */
const RUN = /[\w@$~./-]+/g;
/** Length limits of a name, in UTF-16 units. Shorter words are too ambiguous, and longer words are data. */
const SHORTEST = 4;
const LONGEST = 300;
/** Path that ends with a known file ending. */
const FILE =
  /\w\.(?:bash|bat|c|cc|cfg|cjs|clj|cljs|cmake|conf|cpp|cs|csproj|css|csv|cts|cxx|dart|diff|edn|eex|elm|env|erb|erl|ex|exs|fs|fsx|gleam|go|gql|gradle|graphql|groovy|h|hbs|heex|hpp|hrl|hs|htm|html|ini|ipynb|java|jl|js|json|json5|jsonc|jsonl|jsx|kt|kts|less|lock|log|lua|md|mdx|mjs|ml|mli|mts|nim|nix|patch|php|pl|plist|pm|png|prisma|properties|proto|ps1|py|pyi|rake|rb|rs|rst|sass|sbt|scala|scss|sh|sql|svelte|svg|swift|tcl|tex|tf|tfvars|toml|ts|tsv|tsx|txt|vue|xml|ya?ml|zig|zsh)$/;
/** Word that ends with a dot and a short ending. */
const MEMBER = /\w\.[A-Za-z]\w{0,4}$/;
/** Feature that a word of prose does not have: an inner capital, an underscore, a digit, or only capitals. */
const MARK = /[a-z][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z0-9]_+[A-Za-z0-9]|[A-Za-z]\d|^[A-Z]{4,}$/;
/**
 * Word of prose. This pattern is tried first, because most runs are such words and the other patterns take more time.
 */
const PLAIN = /^[A-Z]?[a-z]*$/;
/** Colour, hash or record id: hex digits that begin with a digit and contain a letter. */
const HEX = /^\d[\da-f]*[a-f][\da-f]*$/;
const HEX_LENGTH = { least: 6, most: 40 } as const;

/**
 * Returns the distinct names of a text, in the order of their first occurrence. The running time is linear in the
 * length of the text.
 */
export function namesIn(text: string): readonly FoundName[] {
  const names = new Map<string, FoundName>();
  const add = (name: string, kind: FoundName['kind']): void => {
    if (!names.has(name)) names.set(name, { name, kind });
  };
  // Unlike `matchAll`, `match` creates no object for each run. Most runs are plain words.
  for (const found of text.match(RUN) ?? []) {
    if (found.length < SHORTEST || found.length > LONGEST) continue;
    const run = withoutEnd(found);
    if (PLAIN.test(run)) continue;
    if (isPath(run)) {
      add(run, 'path');
      continue;
    }
    if (MEMBER.test(run) && !run.includes('/')) add(run, 'member');
    for (const part of run.split(/[./@~]+/)) {
      const word = trimmedHyphens(part);
      if (isSymbol(word)) add(word, 'symbol');
    }
  }
  return [...names.values()];
}

function isSymbol(word: string): boolean {
  if (word.length < SHORTEST) return false;
  return MARK.test(word) || (word.length >= HEX_LENGTH.least && word.length <= HEX_LENGTH.most && HEX.test(word));
}

function isPath(word: string): boolean {
  return (word.includes('.') && FILE.test(word)) || word.indexOf('/') !== word.lastIndexOf('/');
}

/**
 * Returns a run without the dots, slashes and hyphens at its end, because they close a sentence or the name of a
 * folder.
 */
function withoutEnd(run: string): string {
  let end = run.length;
  while (end > 0 && isEnd(run.charCodeAt(end - 1))) end -= 1;
  return end === run.length ? run : run.slice(0, end);
}

/** Returns true for the code of `-`, `.` or `/`. These three codes follow each other in ASCII. */
function isEnd(code: number): boolean {
  return code >= 0x2d && code <= 0x2f;
}

function trimmedHyphens(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && word.charAt(start) === '-') start += 1;
  while (end > start && word.charAt(end - 1) === '-') end -= 1;
  return word.slice(start, end);
}

/** Returns every string of a JSON value, at any depth. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
