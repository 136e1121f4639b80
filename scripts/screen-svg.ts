// Draws the screen of a terminal as an SVG picture. The input is text with the escape sequences of colours, as
// `tmux capture-pane -e` prints it.

import stringWidth from 'string-width';

/** A piece of a row with one style. `column` and `cells` count cells of the terminal. */
interface StyledRun {
  readonly column: number;
  readonly cells: number;
  readonly text: string;
  readonly style: CellStyle;
}

/** Style of cells. Colours are numbers from 0 to 15. `undefined` is the default colour. */
interface CellStyle {
  readonly colour?: number | undefined;
  readonly background?: number | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

const CELL = 8.4;
const ROW = 19;
const PADDING = 14;

/** Colours of a light terminal and of a dark one, from 0 to 15, then the text and the background. */
const LIGHT = colours(
  '24292f cf222e 116329 7d4e00 0550ae 8250df 1b7c83 57606a 6e7781 a40e26 1a7f37 633c01 0969da 6639ba 3192aa 8c959f',
  '24292f',
  'ffffff',
);
const DARK = colours(
  '484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4 6e7681 ffa198 56d364 e3b341 79c0ff d2a8ff 56d4dd ffffff',
  'e6edf3',
  '0d1117',
);

/**
 * Returns a picture of the rows of a terminal. The same input gives the same bytes. The picture follows the light or
 * dark setting of its reader.
 */
export function screenSvg(rows: readonly string[], columns: number, title: string): string {
  const width = Math.round(columns * CELL + 2 * PADDING);
  const height = rows.length * ROW + 2 * PADDING;
  const drawn = runsByRow(rows).flatMap((runs, index) => runs.map((run) => drawRun(run, index)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="screen" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function colours(numbered: string, text: string, background: string): readonly string[] {
  return [...numbered.split(' '), text, background].map((hex) => `#${hex}`);
}

/** Index of the default colour of the text, and of the background. */
const [TEXT, BACKGROUND] = [16, 17];

const STYLE = [
  'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
  '.b{font-weight:bold}.d{opacity:.6}.i{font-style:italic}.u{text-decoration:underline}',
  '.screen{stroke:#8884}',
  themeOf(LIGHT),
  `@media (prefers-color-scheme:dark){${themeOf(DARK)}}`,
].join('');

function themeOf(theme: readonly string[]): string {
  const fills = theme.map((hex, index) => `.c${index}{fill:${hex}}`);
  return `.screen{fill:${theme[BACKGROUND]}}${fills.join('')}`;
}

function drawRun({ column, cells, text, style }: StyledRun, row: number): string {
  const { colour = TEXT, background = BACKGROUND, inverse = false } = style;
  const [front, back] = inverse ? [background, colour] : [colour, background];
  const x = rounded(PADDING + column * CELL);
  const length = rounded(cells * CELL);
  const top = PADDING + row * ROW;
  const classes = [
    `c${front}`,
    ...(style.bold === true ? ['b'] : []),
    ...(style.dim === true ? ['d'] : []),
    ...(style.italic === true ? ['i'] : []),
    ...(style.underline === true ? ['u'] : []),
  ];
  const behind =
    back === BACKGROUND ? '' : `<rect class="c${back}" x="${x}" y="${top}" width="${length}" height="${ROW}"/>`;
  if (text.trim() === '' && style.underline !== true) return behind;
  const fitted = `textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
  return `${behind}<text class="${classes.join(' ')}" x="${x}" y="${top + 14}" ${fitted}>${escaped(text)}</text>`;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Returns the runs of each row. A row begins with the style at the end of the row before, as tmux prints it. */
function runsByRow(rows: readonly string[]): readonly (readonly StyledRun[])[] {
  let style: CellStyle = {};
  return rows.map((row) => {
    const { runs, after } = runsOf(row, style);
    style = after;
    return runs;
  });
}

/** Splits a row where its style changes. The ends of a run have no spaces, so that its length fits its text. */
function runsOf(row: string, before: CellStyle): { readonly runs: readonly StyledRun[]; readonly after: CellStyle } {
  const runs: StyledRun[] = [];
  let style = before;
  let column = 0;
  // Links and other escape sequences have no effect on the cells.
  for (const piece of row
    .replaceAll(/\u001b\][^\u001b\u0007]*(?:\u001b\\|\u0007)/g, '')
    .split(/(\u001b\[[\d;:]*[A-Za-z])/)) {
    const [, codes] = /^\u001b\[([\d;:]*)m$/.exec(piece) ?? [];
    if (codes !== undefined) style = styleAfter(style, codes);
    else if (!piece.startsWith('\u001b')) {
      runs.push(...trimmedRuns(piece, column, style));
      column += stringWidth(piece);
    }
  }
  return { runs, after: style };
}

function trimmedRuns(text: string, column: number, style: CellStyle): readonly StyledRun[] {
  if (text === '') return [];
  if (style.inverse === true || style.background !== undefined || style.underline === true)
    return [{ column, cells: stringWidth(text), text, style }];
  // Each word has its own place, so that a font with other widths keeps the columns.
  return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => ({
    column: column + stringWidth(text.slice(0, index)),
    cells: stringWidth(words),
    text: words,
    style,
  }));
}

function styleAfter(style: CellStyle, codes: string): CellStyle {
  let next = style;
  const numbers = codes.split(/[;:]/).map(Number);
  while (numbers.length > 0) next = changeStyle(next, numbers);
  return next;
}

/** Returns the style after the first code of the list, and removes this code from the list. */
function changeStyle(style: CellStyle, codes: number[]): CellStyle {
  const code = codes.shift() ?? 0;
  switch (code) {
    case 0:
      return {};
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 39:
      return { ...style, colour: undefined };
    case 49:
      return { ...style, background: undefined };
    default:
      return withColour(style, code);
  }
}

/** @throws RangeError for a code other than the 16 colours. The terminal uses only these. */
function withColour(style: CellStyle, code: number): CellStyle {
  const [base, bright] = [code % 10, code >= 90 ? 8 : 0];
  if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) return { ...style, colour: base + bright };
  if ((code >= 40 && code < 48) || (code >= 100 && code < 108)) return { ...style, background: base + bright };
  throw new RangeError(`the screen contains the style ${code}, which the picture cannot show`);
}
