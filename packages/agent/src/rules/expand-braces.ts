// Expansion of the braces in a path pattern, as a shell and the tools `find` and `grep` expand them.

/** Maximum number of patterns that one text can produce, as in the tools `find` and `grep`. */
const MAX_ALTERNATIVES = 64;

/**
 * Returns the patterns that a text with braces represents: `src/*.{ts,tsx}` gives `src/*.ts` and `src/*.tsx`. Braces
 * may be nested. Braces around a single alternative are removed. Returns `undefined` if the braces are not balanced,
 * contain a range such as `{1..3}`, or give more than 64 patterns.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  const open = text.indexOf('{');
  if (open === -1) return text.includes('}') ? undefined : [text];
  const [end, ...cuts] = closingOf(text, open);
  if (end === undefined || text.slice(0, open).includes('}')) return undefined;
  const edges = [open, ...cuts, end];
  const alternatives = edges.slice(1).map((edge, index) => text.slice((edges[index] ?? open) + 1, edge));
  if (alternatives.length === 1 && alternatives[0]?.includes('..') === true) return undefined;
  const expanded: string[] = [];
  for (const alternative of alternatives) {
    const further = expandBraces(`${text.slice(0, open)}${alternative}${text.slice(end + 1)}`);
    if (further === undefined || expanded.length + further.length > MAX_ALTERNATIVES) return undefined;
    expanded.push(...further);
  }
  return expanded;
}

/**
 * Returns the position of the brace that closes the brace at `open`, followed by the positions of the commas between
 * them.
 */
function closingOf(text: string, open: number): readonly number[] {
  const commas: number[] = [];
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === ',' && depth === 1) commas.push(at);
    if (text[at] !== '}') continue;
    depth -= 1;
    if (depth === 0) return [at, ...commas];
  }
  return [];
}
