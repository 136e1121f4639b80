// Runs `tidemark serve` as a separate process, and sends requests to it.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../bin/tidemark.cjs', import.meta.url));

/** Parsed JSON. Each test checks the form that it expects. */
type ParsedAnswer = ReturnType<typeof JSON.parse>;

/** A running server process. */
export interface ServedProcess {
  readonly url: string;
  send(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: ParsedAnswer }>;
  /** Reads the session until the check is true, and returns it. */
  until(session: string, check: (details: ParsedAnswer) => boolean): Promise<ParsedAnswer>;
  /** Sends a signal and waits for the end of the process. Returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Choices of a server process. */
export interface ServeChoices {
  readonly folder: string;
  readonly home: string;
  readonly args?: readonly string[];
}

/** Starts the server on a free port and waits for its address. */
export async function startServer({ folder, home, args = [] }: ServeChoices): Promise<ServedProcess> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home, TIDEMARK_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url, token: place } = await firstAnswer(child);
  const token = readFileSync(place, 'utf8').trim();
  const send: ServedProcess['send'] = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    url,
    send,
    async until(session, check) {
      for (;;) {
        const { body } = await send('GET', `/sessions/${session}`);
        if (check(body)) return body;
        await pause(20);
      }
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = await once(child, 'exit');
      return code;
    },
  };
}

async function firstAnswer({ stdout }: ChildProcess): Promise<ParsedAnswer> {
  if (stdout !== null) for await (const line of createInterface({ input: stdout })) return JSON.parse(line);
  throw new Error('the server printed no address');
}
