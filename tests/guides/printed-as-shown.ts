// Comparison of a program's output with a page. `…` matches any text within a line, and any number of lines if it is
// alone in its line. The width of the space between columns is ignored, because a pipe has tabs where a terminal has
// spaces.

/**
 * Compares the printed lines with the shown lines in order. Returns the first shown line that was not printed at its
 * place. If all shown lines were printed but more lines follow, returns a text that contains the first extra line.
 * Returns `undefined` if all lines match.
 */
export function firstMissing(shown: readonly string[], printed: string): string | undefined {
  const lines = printed.split('\n').map(plain).filter(isSomething);
  const wanted = shown.map(plain).filter(isSomething);
  let at = 0;
  let mayskip = false;
  for (const line of wanted) {
    if (line === ANYTHING) {
      mayskip = true;
      continue;
    }
    const found = mayskip ? lines.findIndex((one, index) => index >= at && fits(line, one)) : at;
    if (found === -1 || !fits(line, lines[found] ?? '')) return line;
    at = found + 1;
    mayskip = false;
  }
  return mayskip || at === lines.length ? undefined : `(nothing more), but it printed: ${lines[at] ?? ''}`;
}

const ANYTHING = '…';

function plain(line: string): string {
  return line.replaceAll(/\s+/g, ' ').trim();
}

function isSomething(line: string): boolean {
  return line !== '';
}

function fits(shown: string, printed: string): boolean {
  const [first = '', ...others] = shown.split(ANYTHING);
  const last = others.pop();
  if (last === undefined) return shown === printed;
  if (!printed.startsWith(first) || !printed.endsWith(last)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = printed.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at + last.length <= printed.length;
}
