// Tests questions on a real terminal. Input typed before a question does not answer it. Ctrl-C and the end of the input
// work while the question waits.

import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { join } from 'node:path';

import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';

import type { PseudoTerminal } from '../../tests/pseudo-terminal.ts';
import { hasTmux, openTerminal } from '../../tests/pseudo-terminal.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

const BIN = inject('command');

const skips = !hasTmux();
if (skips) process.stdout.write('typed-ahead.int.test.ts is skipped: there is no tmux, which makes its terminal\n');

let stage: Stage;
let listening: ListeningSimulator | undefined;
let server: Server | undefined;
let terminal: PseudoTerminal | undefined;

beforeEach(() => {
  stage = openStage();
});

afterEach(async () => {
  terminal?.close();
  server?.closeAllConnections();
  server?.close();
  await listening?.close();
  stage.clear();
});

/** Provider that answers only after the test allows it. */
interface HeldProvider {
  readonly url: string;
  /** Resolves when the first request has arrived. */
  readonly asked: Promise<void>;
  readonly letGo: () => void;
}

async function holdProvider(url: string): Promise<HeldProvider> {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const held = createServer((request, response) => {
    asked.resolve();
    void gate.promise.then(async () => {
      const headers = { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
      const answer = await fetch(`${url}${request.url}`, { method: 'POST', headers, body: await buffer(request) });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  server = held;
  await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve));
  const address = held.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, asked: asked.promise, letGo: () => gate.resolve() };
}

async function begin(command: string): Promise<PseudoTerminal & HeldProvider> {
  const steps = [{ answer: calls('bash', { command }) }, { answer: { text: 'So be it.' } }];
  listening = await createSimulator({ scenario: { steps } }).listen();
  const provider = await holdProvider(listening.url);
  const environment = {
    HOME: stage.home,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    TIDEMARK_HOME: stage.home,
    ANTHROPIC_API_KEY: 'no-real-key-at-all',
    NO_COLOR: '1',
  };
  const args = [process.execPath, BIN, 'do it', '--base-url', provider.url];
  terminal = openTerminal(args, stage.folder, environment);
  await provider.asked;
  return { ...terminal, ...provider };
}

const made = (): boolean => existsSync(join(stage.folder, 'made'));

describe.skipIf(skips)('a question at a terminal', () => {
  test('is not answered by a `y` typed before it, with or without Enter', async () => {
    const turn = await begin('touch made');
    turn.type('y', 'Enter', 'y', 'Enter', 'yy');
    await turn.until(/y\s+y\s+yy/);
    turn.letGo();
    await turn.until(/allow it\? \(y\/n\)/);
    expect(turn.screen()).toContain('text typed before this question is ignored');
    turn.type('n', 'Enter');
    const shown = await turn.until(/exit: \d+/);
    expect(shown).toMatch(/bash touch made: denied/);
    expect(shown).not.toContain('none of the answers');
    expect([made(), /exit: (\d+)/.exec(shown)?.[1]]).toEqual([false, '0']);
  });

  test('is answered by input typed after it', async () => {
    const turn = await begin('touch made');
    turn.letGo();
    await turn.until(/allow it\? \(y\/n\)/);
    turn.type('y', 'Enter');
    expect(await turn.until(/exit: \d+/)).toMatch(/bash touch made: ok/);
    expect(made()).toBe(true);
  });

  test('shows all its pages, even if Enter was typed before them', async () => {
    const turn = await begin(`touch made${Array.from({ length: 70 }, (_, i) => `\ntrue ${i}`).join('')}`);
    turn.type('q', 'Enter', 'Enter', 'Enter', 'Enter', 'y', 'Enter');
    await turn.until(/q\s+y/);
    turn.letGo();
    let shown = await turn.until(/true 20/);
    expect(shown).not.toContain('(y/n)');
    while (!shown.includes('(y/n)')) {
      const last = shown;
      turn.type('Enter');
      shown = await turn.until(new RegExp(`\\(y/n\\)|${nextLine(last)}`));
    }
    turn.type('y', 'Enter');
    await turn.until(/exit: 0/);
    expect(made()).toBe(true);
  });

  test('ends at Ctrl-C with 130, and the command does not run', async () => {
    const turn = await begin('touch made');
    turn.letGo();
    await turn.until(/allow it\? \(y\/n\)/);
    turn.type('C-c');
    await turn.until(/exit: 130/);
    expect(made()).toBe(false);
  });

  test('counts as denied at the end of the input', async () => {
    const turn = await begin('touch made');
    turn.letGo();
    await turn.until(/allow it\? \(y\/n\)/);
    turn.type('C-d');
    expect(await turn.until(/exit: 0/)).toMatch(/bash touch made: denied/);
    expect(made()).toBe(false);
  });
});

/** Returns a pattern for the next line `true N`. Its number is the largest such number on the screen plus 1. */
function nextLine(screen: string): string {
  const last = Math.max(...[...screen.matchAll(/true (\d+)$/gm)].map(([, number]) => Number(number)));
  return `true ${last + 1}\\s`;
}
