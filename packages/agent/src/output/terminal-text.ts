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
  const put = (character: string): void => {
    if (cells === undefined) return;
    const before = cells[column];
    if (before !== undefined && before !== character && !isBlank(before)) overwrote = true;
    cells[column] = character;
    column += 1;
  };
  const erase = (from: number, to: number): void => {
    if (cells === undefined) return;
    for (let at = from; at < Math.min(to, cells.length); at += 1) {
      if (!isBlank(cells[at])) overwrote = true;
      cells[at] = EMPTY;
    }
  };
  const end = (): string => {
    while (cells?.at(-1) === EMPTY) cells.pop();
    const shown = cells === undefined ? text : cells.map((cell) => (cell === EMPTY ? ' ' : cell)).join('');
    text = '';
    cells = undefined;
    column = 0;
    return shown;
  };
  return {
    write(run) {
      if (cells === undefined) text += run;
      else {
        while (cells.length < column) cells.push(EMPTY);
        for (const character of run) put(character);
      }
      return (cells?.length ?? text.length) > LONGEST_LINE ? end() : '';
    },
    move(final, parameters) {
      if (!'CDGKPX'.includes(final)) return;
      if (cells === undefined) {
        cells = Array.from(text);
        column = cells.length;
      }
      const amount = Math.max(1, Number.parseInt(parameters, 10) || 0);
      const limit = Math.max(cells.length, LAST_COLUMN);
      if (final === 'G') column = Math.min(amount - 1, limit);
      else if (final === 'C') column = Math.min(column + amount, limit);
      else if (final === 'D') column = Math.max(0, column - amount);
      else if (final === 'X') erase(column, column + amount);
      else if (final === 'P') cells.splice(column, amount);
      else if (parameters === '2') erase(0, Infinity);
      else if (parameters === '1') erase(0, column + 1);
      else erase(column, Infinity);
    },
    end,
    get overwrote() {
      return overwrote;
    },
  };
}
