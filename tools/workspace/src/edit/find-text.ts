// Where a text stands in a file. Line feeds of the text stand for the line ends of the file, whichever they are; nothing
// else is taken for granted.

/** A stretch of the file: offsets in UTF-16 units, the end behind it. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** The 1-based line it begins in. */
  readonly line: number;
}

/** One line end, never the second half of one: it would count twice. */
const LINE_END = String.raw`(?:\r\n|(?<!\r)\n)`;

/** Every place where the text stands, those that overlap too: text that stands in two overlapping places is not unique. */
export function findText(file: string, text: string): readonly Stretch[] {
  const pattern = new RegExp(text.split(/\r?\n/).map(literal).join(LINE_END), 'g');
  const found: Stretch[] = [];
  let line = 1;
  let counted = 0;
  for (let match = pattern.exec(file); match !== null; match = pattern.exec(file)) {
    line += newlines(file, counted, match.index);
    counted = match.index;
    found.push({ from: match.index, to: match.index + match[0].length, line });
    pattern.lastIndex = match.index + 1;
  }
  return found;
}

/** Those of them that stand apart, from the first one on. */
export function apart(found: readonly Stretch[]): readonly Stretch[] {
  return found.reduce<Stretch[]>((kept, stretch) => {
    if (stretch.from >= (kept.at(-1)?.to ?? 0)) kept.push(stretch);
    return kept;
  }, []);
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The line as a pattern that means exactly it. */
function literal(line: string): string {
  return line.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
