// Text that a terminal shows for the output of a program. Colours and other control sequences are removed. Of a line
// that was overwritten, such as a progress bar, only the last state remains. Every line of the output stays one line, so
// line numbers do not change. Cursor moves to other lines are removed without effect.

/** Converts an output that arrives in pieces. The result does not depend on the pieces. */
export interface TerminalText {
  /** Returns the next part of the text. A line and a control sequence that are not complete are kept. */
  push(text: string): string;
  /** Returns the rest of the text. */
  end(): string;
  /** True if visible text was overwritten or erased, so that it is not part of the result. */
  readonly overwrote: boolean;
}

/** Returns the text that a terminal shows for a complete output. */
export function terminalText(output: string): string {
  const text = openTerminalText();
  return text.push(output) + text.end();
}

/** Returns true if a terminal shows this text unchanged. */
export function isTerminalText(text: string): boolean {
  return !SPECIAL.test(text);
}

/** Characters that the conversion removes or interprets: backspace, bell, carriage return, ESC, and C1 introducers. */
const SPECIAL = /[\x07\x08\r\x1b\x90\x98\x9b\x9d-\x9f]/;

/**
 * Next piece of an output: a line end, a control sequence, a control character, or a run of other characters. A string
 * sequence (OSC, DCS) ends at the end of the line at the latest. The forms are those of ECMA-48.
 */
const PIECE =
  /(?<newline>\n)|(?:\x1b\[|\x9b)(?<parameters>[0-?]*)[ -/]*(?<final>[@-~])|(?<string>(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\|(?=\n)|(?=\x1b(?:[^\\]|$))|$))|(?<escape>\x1b[ -/]*[0-Z\\^-~])|(?<control>[\x07\x08\r\x1b\x90\x98\x9b\x9d-\x9f])|(?<run>[^\n\x07\x08\r\x1b\x90\x98\x9b\x9d-\x9f]+)/y;

/** Finds a control sequence or a control character that moves the cursor inside of a line or erases a part of it. */
const MOVE = /\x08|\r(?!\n)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[CDGKPX]/;

/** Matches everything that is removed from a text without such moves. */
const REMOVED =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\|(?=\n)|(?=\x1b(?:[^\\]|$))|$)|\x1b[ -/]*[0-Z\\^-~]|[\x07\x08\r\x1b\x90\x98\x9b\x9d-\x9f]/g;

/** Matches the beginning of a control sequence at the end of a piece of output. */
const INCOMPLETE =
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[ -/]*|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x9c]*\x1b?)$/;

/** Maximum length of a sequence that is kept until it is complete. A longer one is treated as text. */
const LONGEST_SEQUENCE = 65_536;
/** Maximum length of a line that is kept. The part before is then final and can no longer be overwritten. */
const LONGEST_LINE = 1_048_576;
/** Column to which a cursor move is limited. */
const LAST_COLUMN = 4_096;

/** Starts the conversion of an output. */
export function openTerminalText(): TerminalText {
  const line = openLine();
  let pending = '';
  const take = (text: string): string => {
    if (line.isPlain() && !MOVE.test(text)) return line.takePlain(text.replaceAll(REMOVED, ''));
    let shown = '';
    PIECE.lastIndex = 0;
    for (let match = PIECE.exec(text); match !== null; match = PIECE.exec(text)) shown += takePiece(line, match);
    return shown;
  };
  return {
    push(text) {
      const all = pending + text;
      const cut = Math.max(0, all.length - LONGEST_SEQUENCE);
      const start = all.slice(cut).search(INCOMPLETE);
      const end = start === -1 ? all.length : cut + start;
      pending = all.slice(end);
      return take(all.slice(0, end));
    },
    end() {
      const shown = line.end();
      pending = '';
      return shown;
    },
    get overwrote() {
      return line.overwrote;
    },
  };
}

function takePiece(line: TerminalLine, { groups = {} }: RegExpExecArray): string {
  const { newline, parameters = '', final, control, run } = groups;
  if (run !== undefined) return line.write(run);
  if (newline !== undefined) return `${line.end()}\n`;
  if (final !== undefined) line.move(final, parameters);
  else if (control === '\r') line.move('G', '1');
  else if (control === '\b') line.move('D', '1');
  return '';
}

/** A place of a line without a character. */
const EMPTY = '';

function isBlank(cell: string | undefined): boolean {
  return cell === EMPTY || cell === ' ' || cell === undefined;
}

/** The line at the cursor. */
interface TerminalLine {
  /** Writes text at the cursor. Returns the beginning of the line if the line is too long to be kept. */
  write(text: string): string;
  /** Returns true if nothing in this line was moved or erased so far. */
  isPlain(): boolean;
  /** Writes text with line ends and without control characters. Returns all complete lines. */
  takePlain(text: string): string;
  /** Performs a control sequence that moves the cursor inside of the line, or that erases a part of the line. */
  move(final: string, parameters: string): void;
  /** Ends the line and returns its text. */
  end(): string;
  readonly overwrote: boolean;
}

function openLine(): TerminalLine {
  // The text of a line that was never overwritten is kept as it is. Only then is the text divided into characters.
  let text = '';
  let cells: string[] | undefined;
  let column = 0;
  let overwrote = false;
  const put = (row: string[], character: string): void => {
    const before = row[column];
    if (before !== undefined && before !== character && !isBlank(before)) overwrote = true;
    row[column] = character;
    column += 1;
  };
  const erase = (row: string[], from: number, to: number): void => {
    for (let at = from; at < Math.min(to, row.length); at += 1) {
      if (!isBlank(row[at])) overwrote = true;
      row[at] = EMPTY;
    }
  };
  const end = (): string => {
    const shown = cells === undefined ? text : textOfCells(cells);
    [text, cells, column] = ['', undefined, 0];
    return shown;
  };
  const write = (run: string): string => {
    if (cells === undefined) text += run;
    else {
      while (cells.length < column) cells.push(EMPTY);
      for (const character of run) put(cells, character);
    }
    return (cells?.length ?? text.length) > LONGEST_LINE ? end() : '';
  };
  return {
    isPlain: () => cells === undefined,
    takePlain(added) {
      const at = added.lastIndexOf('\n') + 1;
      const lines = at === 0 ? '' : end() + added.slice(0, at);
      return lines + write(added.slice(at));
    },
    write,
    move(final, parameters) {
      if (!'CDGKPX'.includes(final)) return;
      if (cells === undefined) {
        cells = Array.from(text);
        column = cells.length;
      }
      const amount = Math.max(1, Number.parseInt(parameters, 10) || 0);
      if ('CDG'.includes(final))
        column = columnAfter(final, amount, { column, last: Math.max(cells.length, LAST_COLUMN) });
      else if (final === 'P') cells.splice(column, amount);
      else if (final === 'X') erase(cells, column, column + amount);
      else
        erase(cells, parameters === '1' || parameters === '2' ? 0 : column, parameters === '1' ? column + 1 : Infinity);
    },
    end,
    get overwrote() {
      return overwrote;
    },
  };
}

/** Returns the column of the cursor after a move: to a column (`G`), to the right (`C`) or to the left (`D`). */
function columnAfter(
  final: string,
  amount: number,
  { column, last }: { readonly column: number; readonly last: number },
): number {
  if (final === 'D') return Math.max(0, column - amount);
  return Math.min(final === 'G' ? amount - 1 : column + amount, last);
}

/** Returns the text of a line. Empty places at its end are left out, others are spaces. */
function textOfCells(cells: readonly string[]): string {
  const end = cells.findLastIndex((cell) => cell !== EMPTY) + 1;
  return cells
    .slice(0, end)
    .map((cell) => (cell === EMPTY ? ' ' : cell))
    .join('');
}
