// Tests which session the terminal shows: new and earlier sessions, forks, and sessions that are open elsewhere.

import { createAgent } from '@tidemark/kit';
import type { Agent, AgentSession } from '@tidemark/kit';
import type { Log, LogWriter, SessionId } from '@tidemark/log';
import { callId, LogError, sessionId, timestamp } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, onTestFinished, test, vi } from 'vitest';

import { draftOf, openScriptedTerminal, says } from '../../../tests/scripted-terminal.ts';
import type { ScriptedTerminal } from '../../../tests/scripted-terminal.ts';
import { answer, call } from '../../../tests/terminal-scene.ts';
import { OUTPUT_NAME } from '../state/prompt-text.ts';
import type { ChoicePanel, TerminalState } from '../state/terminal-state.ts';

/** Sends prompts one after the other, and waits for the end of each turn. */
async function talk({ controller, until }: ScriptedTerminal, ...prompts: readonly string[]): Promise<void> {
  for (const text of prompts) {
    controller.send(draftOf(text));
    await until(({ running }) => running);
    await until(({ running }) => !running);
  }
}

async function untilChoice({ until }: ScriptedTerminal): Promise<ChoicePanel> {
  const { panel } = await until((state) => state.panel?.kind === 'choice');
  if (panel?.kind !== 'choice') throw new Error('the terminal shows no list');
  return panel;
}

/** Opens a session as another process does. */
async function openElsewhere(store: Log, id?: string): Promise<AgentSession> {
  const provider = createScriptedProvider({ respond: () => says('From elsewhere.') });
  const agent = createAgent({ model: 'claude-sonnet-5-5', provider, store, permissions: { mode: 'auto' } });
  onTestFinished(() => agent.close());
  return agent.open(id);
}

test('a terminal that is closed before the first prompt leaves no session', async () => {
  const store = createMemoryStore();
  const { controller } = await openScriptedTerminal({ store });
  await controller.setMode('read-only');
  await controller.close();
  expect((await store.sessions()).sessions).toEqual([]);
});

test('the first call of a new session is forecast when the user begins a prompt, and leaves no session', async () => {
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => says('Yes.') });
  const agentIn = (log: Log): Agent =>
    createAgent({ model: 'claude-sonnet-5-5', provider, store: log, permissions: { mode: 'auto' } });
  let forecasts = 0;
  const terminal = await openScriptedTerminal({
    store,
    prepare: async () => {
      const agent = agentIn(store);
      return {
        agent,
        flags: {},
        open: () => agent.open(),
        close: () => agent.close(),
        async forecastFirst(words) {
          forecasts += 1;
          const trial = agentIn(createMemoryStore());
          onTestFinished(() => trial.close());
          return (await trial.open()).forecast(words);
        },
      };
    },
  });
  expect(terminal.controller.state.get().status.next).toBeUndefined();
  terminal.controller.draftChanged(draftOf(''));
  terminal.controller.draftChanged(draftOf('hello'));
  const { status } = await terminal.until((state) => state.status.next !== undefined);
  expect(Number(status.next?.cost)).toBeGreaterThan(0);
  expect([forecasts, (await store.sessions()).sessions]).toEqual([1, []]);
});

test('the mode that is chosen before the first prompt is the mode of the new session', async () => {
  const terminal = await openScriptedTerminal({ mode: 'ask' });
  for (let key = 0; key < 7; key += 1) terminal.controller.nextMode();
  await terminal.until(({ mode }) => mode === 'auto');
  await talk(terminal, 'hello');
  expect([terminal.controller.session()?.mode, terminal.controller.state.get().mode]).toEqual(['auto', 'auto']);
});

test('the background processes that end with a session are named when another session is shown', async () => {
  const terminal = await openScriptedTerminal();
  await talk(terminal, 'first prompt');
  const left = terminal.controller.session();
  if (left === undefined) throw new Error('no session');
  const startedAt = timestamp('2026-11-23T09:00:00.000Z');
  const process = { id: 'p1', command: 'npm run dev', startedAt, bytes: 0, running: true };
  vi.spyOn(left.processes, 'list').mockReturnValue([process, { ...process, id: 'p2', running: false }]);
  await terminal.controller.openSession({ open: 'new' });
  expect(terminal.printed()).toContain('background process p1, because another session is shown: npm run dev');
  expect(terminal.printed()).not.toContain('p2');
});

test('an earlier session is shown with its history, and continues', async () => {
  const terminal = await openScriptedTerminal();
  await talk(terminal, 'first prompt');
  const { session } = terminal.controller.state.get();
  if (session === undefined) throw new Error('the terminal has no session');
  await terminal.controller.openSession({ open: 'new' });
  expect(terminal.controller.state.get()).toMatchObject({ session: undefined, generation: 2 });
  expect(terminal.printed()).not.toContain('first prompt');
  await terminal.controller.openSession({ open: 'existing', id: session });
  expect(terminal.printed()).toContain('first prompt');
  await talk(terminal, 'second prompt');
  expect(terminal.requests().at(-1)).toContain('first prompt');
  expect(terminal.controller.state.get().session).toBe(session);
});

test('a session whose last turn was interrupted names the command that resumes it, and takes no key', async () => {
  const terminal = await openScriptedTerminal();
  terminal.hold();
  terminal.controller.send(draftOf('do it'));
  await terminal.untilPrinted('do it');
  terminal.controller.interrupt();
  const { session } = await terminal.until(({ running }) => !running);
  if (session === undefined) throw new Error('the terminal has no session');
  terminal.release();
  await terminal.controller.openSession({ open: 'new' });
  await terminal.controller.openSession({ open: 'existing', id: session });
  await terminal.untilPrinted('The last turn did not complete (interrupted).');
  expect(terminal.controller.state.get().panel).toBeUndefined();
  expect(await terminal.kinds()).not.toContain('turn.resumed');
  terminal.controller.resume();
  await terminal.untilPrinted('Yes.');
  expect(await terminal.kinds()).toContain('turn.resumed');
});

test('a session whose process ended during a call shows that the call does not run', async () => {
  const store = createMemoryStore();
  const id = sessionId('killed');
  const at = timestamp('2026-11-20T12:00:00.000Z');
  const writer = await store.create(id);
  await writer.append(
    [
      { kind: 'session.created', at, data: { id, root: id, workspace: '/nobody' } },
      { kind: 'turn.started', at, data: { trigger: 'user' } },
      { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text: 'run it' }], presenter: 'cli' } },
      { kind: 'answer.received', at, data: answer(call('c1', 'bash', { command: 'sleep 9' })) },
      { kind: 'tool.started', at, data: { call: callId('c1'), name: 'bash', effect: 'execute' } },
    ],
    0,
  );
  await writer.close();
  const terminal = await openScriptedTerminal({ store });
  await terminal.controller.openSession({ open: 'existing', id });
  const { calls } = terminal.controller.state.get().conversation.live;
  expect(calls).toEqual([expect.objectContaining({ cutOff: { started: true, runsAgain: false } })]);
  terminal.controller.resume();
  await terminal.untilPrinted('"outcome":"crashed"');
});

test('a running turn keeps its session: another one is refused', async () => {
  const terminal = await openScriptedTerminal();
  terminal.hold();
  terminal.controller.send(draftOf('do it'));
  await expect(terminal.controller.openSession({ open: 'new' })).rejects.toMatchObject({ code: 'cli/refused' });
});

test('a rewind continues in a fork before the chosen prompt, with its text in the editor', async () => {
  const terminal = await openScriptedTerminal({ answers: [says('One.'), says('Two.'), says('Other.')] });
  await talk(terminal, 'first', 'second');
  const before = terminal.controller.state.get().session;
  terminal.controller.rewind();
  const list = await untilChoice(terminal);
  expect([list.options.map(({ label }) => label), list.selected]).toEqual([['1. first', '2. second'], 1]);
  list.choose(1);
  const { refill, session } = await terminal.until((state) => state.refill !== undefined);
  expect(refill?.text).toBe('second');
  const { printedBefore, conversation } = terminal.controller.state.get();
  // The earlier part is on the screen, so only the new lines are printed.
  expect(JSON.stringify(conversation.blocks.from(0, printedBefore))).toContain('One.');
  expect(JSON.stringify(conversation.blocks.from(printedBefore ?? 0))).toContain(
    ' to the time before prompt 2: second',
  );
  expect(JSON.stringify(conversation.blocks.from(printedBefore ?? 0))).not.toContain('One.');
  expect(session).not.toBe(before);
  expect([terminal.printed().includes('One.'), terminal.printed().includes('Two.')]).toEqual([true, false]);
  await talk(terminal, 'another second');
  expect(terminal.requests().at(-1)).not.toContain('Two.');
  expect(terminal.printed()).toContain('Other.');
});

test('a rewind leaves out the output of a command that went with the prompt, and says so', async () => {
  const terminal = await openScriptedTerminal({ answers: [says('One.'), says('Two.')] });
  terminal.controller.attachToNext({ type: 'attachment', name: OUTPUT_NAME, data: Buffer.from('Command: ls\na.txt') });
  await talk(terminal, 'what is there?');
  terminal.controller.rewind();
  const list = await untilChoice(terminal);
  expect(list.options.map(({ label }) => label)).toEqual(['1. what is there?']);
  list.choose(0);
  const { refill } = await terminal.until((state) => state.refill !== undefined);
  expect(refill?.text).toBe('what is there?');
  expect(terminal.printed()).toContain('is not sent with it again');
});

test('a rewind in a later process brings the image of the prompt back, and not the line about its size', async () => {
  const store = createMemoryStore();
  const id = await sessionWithImage(store);
  const terminal = await openScriptedTerminal({ store });
  await terminal.controller.openSession({ open: 'existing', id });
  terminal.controller.rewind();
  const list = await untilChoice(terminal);
  expect(list.options.map(({ label }) => label)).toEqual(['1. see [image 1: form.png 8×6] stdin (5 bytes): piped']);
  list.choose(0);
  const { refill } = await terminal.until((state) => state.refill !== undefined);
  expect(refill).toMatchObject({
    text: 'see [image 1: form.png 8×6]',
    attached: [
      { type: 'image', data: Buffer.from('the bytes') },
      { type: 'attachment', name: 'stdin', data: Buffer.from('piped') },
    ],
  });
});

test('a rewind reports an image whose bytes are gone', async () => {
  const store = createMemoryStore();
  const id = await sessionWithImage(store);
  const terminal = await openScriptedTerminal({ store });
  await terminal.controller.openSession({ open: 'existing', id });
  vi.spyOn(store.artifacts, 'get').mockImplementation(() => {
    throw new LogError('log/missing', 'gone', {});
  });
  terminal.controller.rewind();
  (await untilChoice(terminal)).choose(0);
  const { refill } = await terminal.until((state) => state.refill !== undefined);
  expect(refill?.attached).toMatchObject([{ name: 'stdin' }]);
  expect(terminal.printed()).toContain('The prompt had an image, which cannot be read any more.');
});

/** Stores a session with one prompt that has an image and a text, and returns its id. */
async function sessionWithImage(store: Log): Promise<SessionId> {
  const { digest, size } = await store.artifacts.put(Buffer.from('the bytes'));
  const held = await openElsewhere(store);
  await held.prompt([
    { type: 'image', artifact: digest, mediaType: 'image/png', bytes: size, width: 8, height: 6 },
    { type: 'text', text: '[the image above is shown at 8 x 6 pixels: scaled down from 16 x 12]' },
    { type: 'text', text: 'see [image 1: form.png 8×6]' },
    { type: 'attachment', name: 'stdin', data: Buffer.from('piped') },
  ]);
  await held.close();
  return held.id;
}

test('a session that is open elsewhere is followed, and can be continued in a fork', async () => {
  const store = createMemoryStore();
  const held = await openElsewhere(store);
  await held.prompt('typed elsewhere');
  const terminal = await openScriptedTerminal({ store });
  await terminal.controller.openSession({ open: 'existing', id: held.id });
  expect(terminal.controller.state.get().readOnly).toBe(true);
  expect(terminal.printed()).toContain('being written by another writer');
  expect(terminal.printed()).toContain('typed elsewhere');
  await held.prompt('one more');
  await terminal.untilPrinted('one more');
  terminal.controller.send(draftOf('mine'));
  await terminal.untilPrinted('open in another process');
  expect(terminal.controller.state.get().refill?.text).toBe('mine');
  const fork = await terminal.controller.agent()?.fork(held.id);
  if (fork === undefined) throw new Error('there is no agent');
  await terminal.controller.openSession({ open: 'live', session: fork });
  await held.prompt('not shown any more');
  await talk(terminal, 'mine');
  expect(terminal.controller.state.get()).toMatchObject({ readOnly: false, session: fork.id });
  expect(terminal.printed()).not.toContain('not shown any more');
});

test('a session that was open elsewhere can be opened after it was closed there', async () => {
  const store = createMemoryStore();
  const held = await openElsewhere(store);
  await held.prompt('typed elsewhere');
  const terminal = await openScriptedTerminal({ store });
  await terminal.controller.openSession({ open: 'existing', id: held.id });
  await held.close();
  await terminal.controller.openSession({ open: 'existing', id: held.id });
  expect(terminal.controller.state.get()).toMatchObject({ readOnly: false, session: held.id });
});

test('the forecast contains the notification that the plan mode sends with the next prompt', async () => {
  const store = createMemoryStore();
  const terminal = await openScriptedTerminal({ store, answers: [says('One.'), says('The plan.')] });
  await talk(terminal, 'first');
  await terminal.controller.setMode('read-only');
  terminal.controller.draftChanged(draftOf('second'));
  const inputOf = ({ status: { next } }: TerminalState): number => next?.gauge.input ?? 0;
  const before = inputOf(await terminal.until((state) => inputOf(state) > 0));
  await terminal.controller.setMode('plan');
  const planned = inputOf(await terminal.until((state) => inputOf(state) > before + 40));
  terminal.controller.send(draftOf('second'));
  await untilChoice(terminal);
  const [summary] = (await store.sessions()).sessions;
  const records = await Array.fromAsync(store.read(summary?.session ?? expect.unreachable()));
  const sent = records.findLast((record) => record.kind === 'request.prepared');
  expect(sent?.data.size?.input).toBe(planned);
});

test('plan mode tells the model once, and asks about the plan after the turn', async () => {
  const answers = [says('A first plan.'), says('The plan.'), says('Done.')];
  const terminal = await openScriptedTerminal({ answers });
  await terminal.controller.setMode('plan');
  await talk(terminal, 'fix the tax');
  (await untilChoice(terminal)).choose(3);
  await talk(terminal, 'make it shorter');
  expect(terminal.controller.session()?.mode).toBe('read-only');
  expect(terminal.requests()[0]).toContain('end your answer with a plan');
  const offer = await untilChoice(terminal);
  expect(offer.options.map(({ key }) => key)).toEqual(['y', 'e', 'a', 'k']);
  offer.choose(2);
  await terminal.untilPrinted('Done.');
  expect(terminal.controller.session()?.mode).toBe('auto');
  const kinds = await terminal.kinds();
  expect(kinds.filter((kind) => kind === 'notification.received')).toHaveLength(2);
  expect(terminal.printed()).toContain('Carry out the plan.');
});

test('an alert is given at the end of a turn only if the user did nothing for ten seconds', async () => {
  const alerts: string[] = [];
  let time = 0;
  const terminal = await openScriptedTerminal({ alert: (text) => void alerts.push(text), now: () => time });
  await talk(terminal, 'short');
  expect(alerts).toEqual([]);
  terminal.hold();
  terminal.controller.send(draftOf('long'));
  await terminal.untilPrinted('long');
  time += 10_000;
  terminal.release();
  await terminal.until(({ running }) => !running);
  expect(alerts).toEqual(['the turn ended: completed']);
});

test('a session whose log could not be written loses its live part, and can be opened again', async () => {
  const memory = createMemoryStore();
  let isFull = false;
  const failing = (writer: LogWriter): LogWriter => {
    const { append } = writer;
    return Object.assign(writer, {
      append: async (...given: Parameters<typeof append>) => {
        if (isFull) throw new LogError('log/write-failed', 'the disk is full');
        return append.call(writer, ...given);
      },
    });
  };
  const store: Log = {
    ...memory,
    create: async (...given) => failing(await memory.create(...given)),
    open: async (id) => failing(await memory.open(id)),
  };
  const terminal = await openScriptedTerminal({ store });
  const { controller } = terminal;
  await talk(terminal, 'first prompt');
  terminal.hold();
  controller.send(draftOf('second prompt'));
  await terminal.untilPrinted('second prompt');
  isFull = true;
  terminal.release();
  const { conversation, status, session } = await terminal.until(({ unwritable }) => unwritable === true);
  expect([conversation.live.answer, conversation.live.calls, status.costsMore]).toEqual(['', [], true]);
  await terminal.untilPrinted(`then \`/resume ${session}\` opens this session again`);
  await terminal.untilPrinted('Everything before it is kept');
  if (session === undefined) throw new Error('the terminal has no session');
  isFull = false;
  await controller.openSession({ open: 'existing', id: session });
  await talk(terminal, 'third prompt');
  expect(terminal.requests().at(-1)).toContain('third prompt');
  expect(controller.state.get().unwritable).toBe(false);
});
