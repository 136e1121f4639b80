// Tests the choices before a costly step. The prompt of the user may be neither lost nor doubled.

import type { AgentOptions } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import { timestamp } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';

import type { ScriptedTerminal } from '../../../tests/scripted-terminal.ts';
import { draftOf, openScriptedTerminal } from '../../../tests/scripted-terminal.ts';
import type { ChoicePanel, TerminalState } from '../state/terminal-state.ts';

const NOON = Date.UTC(2026, 10, 23, 12);
const LONG = Array.from({ length: 3_000 }, (_, line) => `Order ${line} is packed and waits for its truck.`).join('\n');
const usage = { fresh: 0, read: 0, writes: [{ ttl: '5m' as const, tokens: 40_000 }], answer: 5 };
const answer: ScriptedAnswer = { parts: [{ type: 'text', text: 'Yes.' }], usage };

interface Costly extends ScriptedTerminal {
  /** Lets the cache entry expire. With `seen`, the terminal has the same time as the session. */
  expire(seen?: boolean): void;
  readonly sent: () => number;
  /** Waits for the list of choices, and chooses the option with this label. */
  choose(label: string): Promise<void>;
}

/** Opens a terminal whose session has sent two long prompts. */
async function openCostly(mode: 'auto' | 'ask'): Promise<Costly> {
  const times = { session: NOON, terminal: NOON };
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => answer });
  const clock: NonNullable<NonNullable<AgentOptions['host']>['clock']> = {
    now: () => timestamp(new Date(times.session).toISOString()),
    elapsed: () => times.session,
    wait: (_ms, signal) => new Promise((end) => signal?.addEventListener('abort', () => end(), { once: true })),
    random: () => 0.5,
    newName: () => crypto.randomUUID(),
  };
  const terminal = await openScriptedTerminal({
    store,
    now: () => times.terminal,
    prepare: async (session, ask) => {
      const agent = createAgent({
        model: 'claude-opus-5-5',
        provider,
        store,
        host: { clock },
        permissions: { ...(session === undefined && { mode }), ...(ask && { ask }) },
        cache: { ttl: '5m', rewriteNotice: { tokens: 10_000 } },
      });
      return { agent, flags: { mode }, open: () => agent.open(session?.id), close: () => agent.close() };
    },
  });
  const { controller, until } = terminal;
  for (const words of [`first ${LONG}`, `second ${LONG}`]) {
    controller.send(draftOf(words));
    const { panel } = await until((state) => state.panel?.kind === 'choice');
    if (panel?.kind === 'choice') panel.choose(indexOf(panel, 'send it'));
    await until(({ running, status }) => !running && status.next !== undefined);
  }
  return {
    ...terminal,
    sent: () => provider.sent.length,
    expire(seen = true) {
      times.session += 6 * 60_000;
      if (seen) times.terminal = times.session;
    },
    async choose(label) {
      const { panel } = await until(({ panel: shown }) => shown?.kind === 'choice');
      if (panel?.kind !== 'choice') throw new Error('there is no list');
      panel.choose(indexOf(panel, label));
    },
  };
}

function indexOf({ options }: ChoicePanel, label: string): number {
  const index = options.findIndex((option) => option.label === label);
  if (index < 0) throw new Error(`there is no option ${label}: ${JSON.stringify(options)}`);
  return index;
}

const ended = ({ running, panel }: TerminalState): boolean => !running && panel === undefined;

async function promptsIn({ kinds }: Costly): Promise<number> {
  return (await kinds()).filter((kind) => kind === 'prompt.given').length;
}

test('a prompt is sent without a question while the cache entry is alive', async () => {
  const costly = await openCostly('auto');
  costly.controller.send(draftOf('third'));
  await costly.until(({ running }) => running);
  await costly.until(ended);
  expect([costly.sent(), await promptsIn(costly)]).toEqual([3, 3]);
});

test('the list names the cause, the tokens and the price, and the choices', async () => {
  const costly = await openCostly('auto');
  costly.expire();
  costly.controller.send(draftOf('third'));
  const { panel } = await costly.until(({ panel: shown }) => shown?.kind === 'choice');
  if (panel?.kind !== 'choice') throw new Error('there is no list');
  expect(panel.title[1]).toMatch(/^the cache entry had expired: [\d,]+ tokens, \$0\.\d+ more than reading them/);
  expect(panel.options.map(({ label }) => label)).toEqual(['send it', 'compact first', 'fork', 'cancel']);
  expect(panel.options[0]?.note).toMatch(/^\$0\.\d+ before the answer$/);
  panel.choose(undefined);
  await costly.until(ended);
});

test('`cancel` puts the text back into the editor and records nothing', async () => {
  const costly = await openCostly('auto');
  const before = await costly.kinds();
  costly.expire();
  costly.controller.send(draftOf('third'));
  await costly.choose('cancel');
  const { refill } = await costly.until((state) => ended(state) && state.refill !== undefined);
  expect(refill?.text).toBe('third');
  expect([costly.sent(), await costly.kinds()]).toEqual([2, before]);
});

test.each(['auto', 'ask'] as const)('`send it` sends the prompt once and asks only once in mode %s', async (mode) => {
  const costly = await openCostly(mode);
  costly.expire();
  costly.controller.send(draftOf('third'));
  await costly.choose('send it');
  await costly.until(ended);
  expect([costly.sent(), await promptsIn(costly)]).toEqual([3, 3]);
});

test.each(['auto', 'ask'] as const)('`compact first` compacts before the prompt in mode %s', async (mode) => {
  const costly = await openCostly(mode);
  costly.expire();
  costly.controller.send(draftOf('third'));
  await costly.choose('compact first');
  await costly.until(ended);
  const kinds = await costly.kinds();
  expect(kinds.indexOf('history.compacted')).toBeGreaterThan(0);
  expect(kinds.indexOf('history.compacted')).toBeLessThan(kinds.lastIndexOf('prompt.given'));
  expect([costly.sent(), await promptsIn(costly), costly.controller.state.get().refill]).toEqual([3, 3, undefined]);
});

test('`fork` sends the prompt in a fork, and the session keeps its log', async () => {
  const costly = await openCostly('ask');
  const before = await costly.kinds();
  const first = costly.controller.state.get().session;
  costly.expire();
  costly.controller.send(draftOf('third'));
  await costly.choose('fork');
  await costly.until((state) => state.session !== first && state.running);
  await costly.until(ended);
  if (first === undefined) throw new Error('there was no session');
  expect((await Array.fromAsync(costly.log.read(first))).map(({ kind }) => kind)).toEqual(before);
  expect([costly.sent(), await promptsIn(costly)]).toEqual([3, 3]);
});

test('a question of the runtime has the same choices, and `compact first` resumes the turn with its prompt', async () => {
  const costly = await openCostly('ask');
  costly.expire(false);
  costly.controller.send(draftOf('third'));
  await costly.choose('compact first');
  await costly.until(() => costly.sent() === 3);
  await costly.until(ended);
  const kinds = await costly.kinds();
  expect(kinds).toContain('history.compacted');
  expect(await promptsIn(costly)).toBe(3);
  expect(kinds.filter((kind) => kind.startsWith('turn.')).slice(-4)).toEqual([
    'turn.started',
    'turn.ended',
    'turn.resumed',
    'turn.ended',
  ]);
});

test('a question of the runtime that is cancelled ends the turn, and the prompt is recorded once', async () => {
  const costly = await openCostly('ask');
  costly.expire(false);
  costly.controller.send(draftOf('third'));
  await costly.choose('cancel');
  await costly.until(ended);
  expect([costly.sent(), await promptsIn(costly)]).toEqual([2, 3]);
  expect((await costly.kinds()).at(-1)).toBe('turn.ended');
});

test('an interrupt closes the list of a question of the runtime', async () => {
  const costly = await openCostly('ask');
  costly.expire(false);
  costly.controller.send(draftOf('third'));
  await costly.until(({ panel }) => panel?.kind === 'choice');
  costly.controller.interrupt();
  await costly.until(ended);
  expect(costly.sent()).toBe(2);
});

test('the status line contains the price of the text in the editor and of the pending outputs', async () => {
  const terminal = await openScriptedTerminal();
  const { controller, until } = terminal;
  controller.send(draftOf('hello'));
  await until(({ running }) => running);
  const { status } = await until(({ running, status: facts }) => !running && facts.next !== undefined);
  const inputOf = ({ next }: typeof status): number => {
    const { fresh = 0, read = 0, written = 0 } = next?.tokens ?? {};
    return fresh + read + written;
  };
  const before = inputOf(status);
  controller.attachToNext({ type: 'attachment', name: 'Output', data: Buffer.from('12345\n'.repeat(500)) });
  const withOutput = inputOf((await until((state) => inputOf(state.status) > before + 500)).status);
  controller.draftChanged(draftOf('word '.repeat(1_000)));
  await until((state) => inputOf(state.status) > withOutput + 500);
  controller.draftChanged(draftOf(''));
  await until((state) => inputOf(state.status) === withOutput);
});

test('the terminal asks before a large prompt, also before the first one, and `cancel` leaves no prompt', async () => {
  const terminal = await openScriptedTerminal();
  const { controller, until, requests } = terminal;
  const large = 'word '.repeat(80_000);
  for (const label of ['cancel', 'send it', 'cancel']) {
    controller.send(draftOf(large));
    const { panel } = await until((state) => state.panel?.kind === 'choice');
    if (panel?.kind !== 'choice') throw new Error('there is no list');
    expect(panel.title[1]).toMatch(/^It adds [\d,]+ tokens, \$0\.\d+ before the answer\.$/);
    panel.choose(indexOf(panel, label));
    await until(ended);
    if (label === 'cancel') expect(controller.state.get().refill?.text).toBe(large);
  }
  expect([requests().length, (await terminal.kinds()).filter((kind) => kind === 'prompt.given').length]).toEqual([
    1, 1,
  ]);
});
