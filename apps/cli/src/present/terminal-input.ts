// Provides piped input, and questions to the user at the terminal. A question discards everything typed before it
// appeared.

import { createInterface } from 'node:readline/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Input } from '../frame/input.ts';
import { discardNotice } from './show-paged.ts';
import { endsByItself, readAlong, readAtMost } from './piped-input.ts';

const CTRL_C = 0x03;

/** Creates the input of a process from its streams. Questions are written to stderr. */
export function terminalInput(stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Input {
  return {
    terminal: stdin.isTTY && stderr.isTTY,
    piped: !stdin.isTTY,
    bytes: (most) => readAtMost(stdin, most),
    along: (most, signal) =>
      readAlong({ stream: stdin, ends: endsByItself(0), note: (text) => void stderr.write(`${text}\n`) }, most, signal),
    get rows() {
      return sizeOr(stderr.rows, 24);
    },
    get columns() {
      return sizeOr(stderr.columns, 80);
    },
    show: (text) => void stderr.write(text),
    async ask(question, signal, keepsTyped = false) {
      signal.throwIfAborted();
      const notice = discardNotice({ columns: sizeOr(stderr.columns, 80), rows: sizeOr(stderr.rows, 24) });
      if (!keepsTyped && (await discardTyped(stdin)) && notice !== '') stderr.write(`${notice}\n`);
      signal.throwIfAborted();
      return answerTo(question, signal, stdin, stderr);
    },
  };
}

/** A terminal without a size, such as one created by `script`, reports 0. The default is then used. */
function sizeOr(size: number | undefined, usual: number): number {
  return size === undefined || size <= 0 ? usual : size;
}

async function answerTo(
  question: string,
  signal: AbortSignal,
  stdin: NodeJS.ReadStream,
  stderr: NodeJS.WriteStream,
): Promise<string> {
  if (stdin.readableEnded || stdin.destroyed) return '';
  // With `terminal: false`, readline leaves the terminal in cooked mode, so Ctrl-C is still sent as a signal.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(question, { signal }), ended]);
  } finally {
    lines.close();
  }
}

/**
 * Discards all typed text. Returns true if there was any input. In cooked mode an unfinished line cannot be read, so
 * the function switches the terminal to raw mode for a short time. In raw mode Ctrl-C arrives as a byte. The process
 * then sends the signal to itself.
 */
async function discardTyped(stdin: NodeJS.ReadStream): Promise<boolean> {
  if (!stdin.isTTY || stdin.readableEnded || stdin.destroyed) return false;
  let bytes = 0;
  let interrupted = false;
  const discard = (chunk: Buffer | string): void => {
    const typed = Buffer.from(chunk);
    bytes += typed.length;
    interrupted ||= typed.includes(CTRL_C);
  };
  stdin.setRawMode(true);
  stdin.on('data', discard);
  stdin.resume();
  try {
    // Each iteration of the event loop runs reads before immediates. If an iteration delivers no bytes, the terminal
    // has no more input.
    for (let before = -1; before !== bytes;) {
      before = bytes;
      await nextTurn();
      await nextTurn();
    }
  } finally {
    stdin.pause();
    stdin.off('data', discard);
    stdin.setRawMode(false);
  }
  if (interrupted) process.kill(process.pid, 'SIGINT');
  return bytes > 0;
}
