// Programs started from nothing, as a person at a shell starts them: how long until one says something.

import { spawn } from 'node:child_process';
import type { Environment } from '@tidemark/kit';

/** Milliseconds from the start of this Node with these arguments to the first byte on its stdout; waits for its end. @throws Error when it fails, or says nothing. */
export async function untilFirstWord(args: readonly string[], environment: Environment = {}): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let ms: number | undefined;
  child.stdout.on('data', () => {
    ms ??= performance.now() - began;
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code === 0 && ms !== undefined) return ms;
  throw new Error(`${args.join(' ')} ended with ${String(code)}${ms === undefined ? ' and said nothing' : ''}`);
}
