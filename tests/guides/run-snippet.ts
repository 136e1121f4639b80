// Runs a program of docs/snippets as a reader would: in a separate process and a separate folder.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { ROOT } from './run-tidemark.ts';

/** Folder of the programs and files that the pages show. */
export const SNIPPETS: string = join('docs', 'snippets');

/** Running program and its output so far. */
export interface Heard {
  readonly child: ChildProcess;
  /** Output so far, of both streams. */
  readonly said: string;
}

/** Folder and simulator that a program runs with. */
export interface Stage {
  readonly folder: string;
  /** URL of the simulator. */
  readonly url: string;
  /** Folder with commands that the program starts, before those of `PATH`. */
  readonly commands?: string;
  /** Called after each output of the program. */
  readonly hear?: (heard: Heard) => void;
}

/** Exit code or signal of a program that has ended, and its output. */
export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `node docs/snippets/<name>`. If the program fails, the returned promise resolves with its exit code and does not
 * reject.
 */
export function runSnippet(name: string, args: readonly string[], stage: Stage): Promise<Ended> {
  return runProgram(join(ROOT, SNIPPETS, name), args, stage);
}

/** Runs the program at any path, in the same way as `runSnippet` does. */
export function runProgram(
  path: string,
  args: readonly string[],
  { folder, url, commands, hear }: Stage,
): Promise<Ended> {
  const child = spawn(process.execPath, [path, ...args], {
    cwd: folder,
    env: {
      PATH: [commands, process.env['PATH']].filter((one) => one !== undefined).join(delimiter),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ANTHROPIC_API_KEY: 'no-real-key-at-all',
      ANTHROPIC_BASE_URL: url,
      OPENAI_API_KEY: 'no-real-key-of-openai',
      OPENAI_BASE_URL: `${url}/v1`,
    },
    stdio: 'pipe',
  });
  const output = { out: '', err: '' };
  for (const stream of ['out', 'err'] as const) {
    (stream === 'out' ? child.stdout : child.stderr).on('data', (chunk: Buffer) => {
      output[stream] += chunk.toString();
      hear?.({ child, said: output.out + output.err });
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve({ exit, signal, ...output }));
  });
}
