// Programs started from nothing, as a person at a shell starts them: how long until one says what.

import { spawn } from 'node:child_process';
import type { AgentEnvironment } from '@tidemark/kit';

/**
 * Milliseconds from the start of this Node with these arguments to each of these words on its stdout, which it says in this
 * order; waits for its end. @throws Error when it fails, or leaves one out.
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
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
    while (heard.length < words.length && said.includes(words[heard.length] ?? ''))
      heard.push(performance.now() - began);
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code === 0 && heard.length === words.length) return heard;
  throw new Error(`${args.join(' ')} ended with ${String(code)} and said ${JSON.stringify(said)}`);
}
