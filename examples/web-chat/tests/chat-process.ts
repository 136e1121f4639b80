// The example as a process, and a page of it in a browser.

import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Path of the browser, or `undefined` if there is none. */
export const BROWSER: string | undefined = findBrowser();

function findBrowser(): string | undefined {
  try {
    return execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** The example in a folder, on a port that stays the same when it is started again. */
export interface RunningChat {
  /** Starts the process and returns the link of the page. */
  start(): Promise<string>;
  /** Ends the process with a signal. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Prepares the example with a folder for its sessions. */
export async function prepareChat(folder: string): Promise<RunningChat> {
  const port = await freePort();
  const running: { child?: ChildProcess } = {};
  return {
    async start() {
      const env = { ...process.env, CHAT_FOLDER: folder, CHAT_PIECE_MS: '40', PORT: String(port) };
      delete env['ANTHROPIC_API_KEY'];
      const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
      const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      running.child = child;
      const { stdout, stderr } = child;
      let printed = '';
      stderr.on('data', (piece: Buffer) => (printed += piece.toString()));
      for await (const piece of stdout) {
        printed += String(piece);
        const link = /http\S+\n/.exec(printed)?.[0];
        if (link !== undefined) return link.trim();
      }
      throw new Error(`the example ended:\n${printed}`);
    },
    async end(signal) {
      const { child } = running;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Opens a browser. */
export function openBrowser(): Promise<Browser> {
  // The pages come from this test, and containers without user namespaces have no sandbox.
  return chromium.launch({ executablePath: BROWSER ?? '', args: ['--no-sandbox'] });
}

/** Returns the texts of the elements with a class. */
export function texts(page: Page, kind: string): Promise<readonly string[]> {
  return page.locator(`.${kind}`).allTextContents();
}
