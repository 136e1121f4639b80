// Runs a program of docs/snippets as a reader would: a process of its own, in a folder of its own.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './run-tidemark.ts';

/** Where the programs and files that the pages show lie. */
export const SNIPPETS: string = join('docs', 'snippets');

/** What a program says, as it says it. */
export interface Heard {
  readonly child: ChildProcess;
  /** All of it so far, both streams. */
  readonly said: string;
}

/** Where and against whom a program runs. */
export interface Stage {
  readonly folder: string;
  /** The address of the simulator. */
  readonly url: string;
  /** Told whenever the program says something. */
  readonly hear?: (heard: Heard) => void;
}

/** How a program ended. */
export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `node docs/snippets/<name>`. A failure is an exit code, never a throw. */
export function runSnippet(name: string, args: readonly string[], stage: Stage): Promise<Ended> {
  return runProgram(join(ROOT, SNIPPETS, name), args, stage);
}

/** The same of a program anywhere. */
export function runProgram(path: string, args: readonly string[], { folder, url, hear }: Stage): Promise<Ended> {
  const child = spawn(process.execPath, [path, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ANTHROPIC_API_KEY: 'no-real-key-at-all',
      ANTHROPIC_BASE_URL: url,
      OPENAI_API_KEY: 'no-real-key-of-openai',
      OPENAI_BASE_URL: `${url}/v1`,
    },
    stdio: 'pipe',
  });
  const said = { out: '', err: '' };
  for (const stream of ['out', 'err'] as const) {
    (stream === 'out' ? child.stdout : child.stderr).on('data', (chunk: Buffer) => {
      said[stream] += chunk.toString();
      hear?.({ child, said: said.out + said.err });
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve({ exit, signal, ...said }));
  });
}
