// Starts programs in a terminal and measures the time until they draw something. The command `script` of util-linux
// provides the terminal.

import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { AgentEnvironment } from '@tidemark/kit';

/** Size of the terminal, set before the program starts. */
const SIZE = 'stty columns 80 rows 24';

/**
 * Returns the milliseconds from the start of Node with these arguments until the text on its terminal matches. Escape
 * sequences are removed before the text is compared. The program is ended after that.
 * @throws Error if the program ends before the text matches.
 */
export async function untilShown(
  args: readonly string[],
  matches: RegExp,
  environment: AgentEnvironment = {},
): Promise<number> {
  const line = [process.execPath, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const began = performance.now();
  const child = spawn('script', ['-qfec', `${SIZE}; exec ${line}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm-256color', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  let printed = '';
  let shown: number | undefined;
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
    if (shown !== undefined || !matches.test(stripVTControlCharacters(printed))) return;
    shown = performance.now() - began;
    // Closes the terminal, which ends the program.
    child.kill('SIGKILL');
  });
  await ended;
  if (shown === undefined) throw new Error(`${args.join(' ')} ended and printed ${JSON.stringify(printed)}`);
  return shown;
}
