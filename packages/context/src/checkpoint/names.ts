// Names in a text: symbols and files that a later step may refer to. Words of prose are no names.

/** Longest line that is read for names, in UTF-16 units. */
const LINE = 1_000;
const RUN = /[A-Za-z_$][\w$]*(?:[-./][\w$]+)*|\d[\da-f]{5,39}\b/g;
/** A colour, a hash or an identifier of a record: hex digits, among them a letter. */
const HEX = /^\d[\da-f]*[a-f][\da-f]*$/;
const SHORTEST = 4;
const SHORTEST_HYPHENATED = 8;
/** A name that has no mark which prose does not have is a word. */
const MARK = /[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z]\d|^[A-Z]{4,}$/;

/** Returns the names of a line in order, each once: symbols and paths. */
export function namesIn(line: string): readonly string[] {
  const found = new Set<string>();
  for (const [run] of line.slice(0, LINE).matchAll(RUN)) {
    if (isPath(run)) found.add(run);
    else for (const part of run.split(/[./]/)) if (isName(part)) found.add(part);
  }
  return [...found];
}

/** Tells whether a word has the form of a symbol: an inner capital, an underscore, a digit, or a hyphen in a long one. */
export function isName(word: string): boolean {
  if (word.length < SHORTEST) return false;
  if (MARK.test(word) || HEX.test(word)) return true;
  return word.length >= SHORTEST_HYPHENATED && /[A-Za-z0-9]-[A-Za-z0-9]/.test(word);
}

const FILE =
  /\.(?:c|cc|cjs|cpp|cs|css|cts|env|go|h|hpp|html|java|js|json|jsonl|jsx|kt|less|lock|log|md|mdx|mjs|mts|php|png|py|rb|rs|scss|sh|sql|svelte|svg|swift|toml|ts|tsx|txt|vue|xml|ya?ml)$/;

/** Tells whether a word has the form of a path: a known file ending, or two slashes or more. */
export function isPath(word: string): boolean {
  return FILE.test(word) || word.split('/').length > 2;
}
