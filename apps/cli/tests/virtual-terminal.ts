// Virtual terminal for tests: a stdout and a stdin like those of a terminal, connected to the terminal emulator of
// `@xterm/headless`. A test reads the viewport and the scrollback, presses keys, and changes the size.

import { PassThrough, Writable } from 'node:stream';

import xterm from '@xterm/headless';

/** Virtual terminal. */
export interface VirtualTerminal {
  readonly stdout: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  /** Bytes that were written to the terminal. */
  written(): number;
  /** Rows of the viewport, without spaces at their ends. */
  viewport(): Promise<readonly string[]>;
  /** Rows of the scrollback and the viewport, without spaces at their ends. */
  all(): Promise<readonly string[]>;
  /** Position of the cursor in the viewport, from 0. */
  cursor(): Promise<{ readonly column: number; readonly row: number }>;
  /** Presses keys: characters and escape sequences. */
  press(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Changes the size as a terminal that reports it late. The program gets no signal. */
  resizeUnreported(columns: number, rows: number): void;
  /** Writes text as another program did before, such as the shell. */
  write(text: string): Promise<void>;
  /** Waits until the viewport matches. Throws with the viewport if it does not match within the time, in milliseconds. */
  until(matches: RegExp, ms?: number): Promise<string>;
}

const POLL_MS = 10;

/** Creates a virtual terminal. */
export function createVirtualTerminal(columns = 80, rows = 24): VirtualTerminal {
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    convertEol: true,
    allowProposedApi: true,
  });
  let bytes = 0;
  const stdout = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        bytes += Buffer.byteLength(chunk);
        emulator.write(chunk, done);
      },
    }),
    { isTTY: true, columns, rows, hasColors: () => true, getColorDepth: () => 8 },
  );
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  emulator.onData((data) => void stdin.write(data));
  const flushed = (): Promise<void> => new Promise((resolve) => emulator.write('', resolve));
  const rowsFrom = (from: number): readonly string[] => {
    const { active } = emulator.buffer;
    return Array.from(
      { length: active.length - from },
      (_, index) => active.getLine(from + index)?.translateToString(true) ?? '',
    );
  };
  const viewport = async (): Promise<readonly string[]> => {
    await flushed();
    return rowsFrom(emulator.buffer.active.baseY);
  };
  return {
    stdout,
    stdin,
    written: () => bytes,
    viewport,
    all: async () => {
      await flushed();
      return rowsFrom(0);
    },
    cursor: async () => {
      await flushed();
      const { cursorX, cursorY } = emulator.buffer.active;
      return { column: cursorX, row: cursorY };
    },
    press: (keys) => void stdin.write(keys),
    resizeUnreported: (nextColumns, nextRows) => emulator.resize(nextColumns, nextRows),
    resize(nextColumns, nextRows) {
      emulator.resize(nextColumns, nextRows);
      Object.assign(stdout, { columns: nextColumns, rows: nextRows });
      stdout.emit('resize');
    },
    write: (text) => new Promise((resolve) => emulator.write(text, resolve)),
    async until(matches, ms = 30_000) {
      for (let waited = 0; ; waited += POLL_MS) {
        const text = (await viewport()).join('\n');
        if (matches.test(text)) return text;
        if (waited >= ms) throw new Error(`the viewport does not match ${matches}:\n${text}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
  };
}
