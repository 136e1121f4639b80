// Starts programs in a new process, as a user at a shell starts them, and measures the time until each word of their
// output.

import { spawn } from 'node:child_process';
import type { AgentEnvironment } from '@tidemark/kit';

/**
 * Returns the milliseconds from the start of Node with these arguments until each of these words is on its stdout. The
 * program must print the words in this order. Waits for the end of the program.
 * @throws Error if the program fails or does not print a word.
 */
export async function untilWords(
  args: readonly string[],
  words: readonly string[],
  environment: AgentEnvironment = {},
): Promise<readonly number[]> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const heard: number[] = [];
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
    while (heard.length < words.length && printed.includes(words[heard.length] ?? ''))
      heard.push(performance.now() - began);
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code === 0 && heard.length === words.length) return heard;
  throw new Error(`${args.join(' ')} ended with exit code ${String(code)} and printed ${JSON.stringify(printed)}`);
}
