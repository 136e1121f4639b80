// Tests how drafts are sent: as prompts, as messages to the running turn, and after it. No text may be lost.

import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';

import { draftOf, openScriptedTerminal, says } from '../../../tests/scripted-terminal.ts';

test('a session is created with the first prompt and gets its title from it', async () => {
  const store = createMemoryStore();
  const { controller, until } = await openScriptedTerminal({ store });
  expect((await store.sessions()).sessions).toEqual([]);
  controller.send(draftOf('Count the files.\nAll of them.'));
  await until(({ running }) => running);
  await until(({ running }) => !running);
  const { sessions } = await store.sessions();
  expect(sessions).toEqual([expect.objectContaining({ title: 'Count the files.' })]);
});

test('a draft that is sent while a turn runs is added to this turn', async () => {
  const { controller, hold, release, until, untilPrinted, kinds, requests } = await openScriptedTerminal();
  hold();
  controller.send(draftOf('first'));
  await untilPrinted('first');
  controller.send(draftOf('second'));
  await untilPrinted('second');
  release();
  await until(({ running }) => !running);
  expect((await kinds()).filter((kind) => kind === 'turn.started' || kind === 'prompt.given')).toEqual([
    'turn.started',
    'prompt.given',
    'prompt.given',
  ]);
  expect(requests().at(-1)).toContain('second');
});

test('a draft that is sent while its turn ends becomes a prompt', async () => {
  const { controller, until, untilPrinted, kinds } = await openScriptedTerminal();
  controller.send(draftOf('first'));
  await until(({ session }) => session !== undefined);
  // The turn is over in the session, but the terminal has not processed its end yet.
  const session = controller.session();
  if (session === undefined) throw new Error('the terminal has no session');
  for await (const event of session.events())
    if (event.type === 'recorded' && event.record.kind === 'turn.ended') break;
  controller.send(draftOf('second'));
  await untilPrinted('second');
  await until(({ running }) => !running);
  expect((await kinds()).filter((kind) => kind === 'turn.started')).toHaveLength(2);
});

test('a draft that a hook denies goes back into the editor, as a prompt and as a message to a running turn', async () => {
  const { controller, hold, release, until, untilPrinted, kinds, requests } = await openScriptedTerminal({
    hooks: [
      {
        on: 'before-prompt',
        name: 'guard',
        run: (input) => ('prompt' in input && input.prompt.includes('bad') ? { deny: 'no bad words' } : undefined),
      },
    ],
  });
  const refilled = (): string | undefined => controller.state.get().refill?.text;
  controller.send(draftOf('a bad prompt'));
  await untilPrinted('the hook guard denied the prompt');
  await until(({ running }) => !running);
  expect(refilled()).toBe('a bad prompt');
  hold();
  controller.send(draftOf('good words'));
  await untilPrinted('good words');
  controller.send(draftOf('a bad message'));
  await until(({ refill }) => refill?.text === 'a bad message');
  release();
  await until(({ running }) => !running);
  expect((await kinds()).filter((kind) => kind.startsWith('prompt.'))).toEqual([
    'prompt.denied',
    'prompt.given',
    'prompt.denied',
  ]);
  expect(requests().join('')).not.toContain('bad');
});

test('queued drafts are sent after the turn, in their order', async () => {
  const { controller, hold, release, until, requests } = await openScriptedTerminal();
  hold();
  controller.send(draftOf('first'));
  controller.queue(draftOf('second'));
  controller.queue(draftOf('third'));
  expect(controller.state.get().queued.map(({ text }) => text)).toEqual(['second', 'third']);
  release();
  await until(({ running, queued }) => !running && queued.length === 0);
  expect(requests()).toHaveLength(3);
  expect(requests()[1]).not.toContain('third');
  expect(requests()[2]).toContain('third');
});

test('`takeBack` puts the newest queued draft into the editor', async () => {
  const { controller, hold } = await openScriptedTerminal();
  hold();
  controller.send(draftOf('first'));
  controller.queue(draftOf('second'));
  controller.queue(draftOf('third'));
  expect(controller.takeBack()).toBe(true);
  const { refill, queued } = controller.state.get();
  expect([refill?.text, queued.map(({ text }) => text)]).toEqual(['third', ['second']]);
  expect([controller.takeBack(), controller.takeBack()]).toEqual([true, false]);
});

test('an interrupted turn is recorded as interrupted, and queued drafts wait', async () => {
  const { controller, hold, release, until, untilPrinted, log, printed } = await openScriptedTerminal();
  hold();
  controller.send(draftOf('first'));
  await untilPrinted('first');
  controller.queue(draftOf('second'));
  controller.interrupt();
  expect(controller.state.get().stopping).toBe(true);
  const { queued, session, stopping } = await until(({ running }) => !running);
  expect(stopping).toBe(false);
  expect(queued.map(({ text }) => text)).toEqual(['second']);
  if (session === undefined) throw new Error('the terminal has no session');
  const records = await Array.fromAsync(log.read(session));
  expect(records.findLast(({ kind }) => kind === 'turn.ended')?.data).toMatchObject({ outcome: 'interrupted' });
  expect(printed()).toContain('queued: 1');
  release();
  controller.send(draftOf(''));
  await untilPrinted('second');
});

test('a draft that is sent after an interrupt, while the turn ends, becomes a prompt', async () => {
  const { controller, hold, release, until, untilPrinted, kinds } = await openScriptedTerminal();
  hold();
  controller.send(draftOf('first'));
  await untilPrinted('first');
  controller.interrupt();
  controller.send(draftOf('second'));
  release();
  await untilPrinted('second');
  await until(({ running }) => !running);
  expect((await kinds()).filter((kind) => kind === 'turn.started')).toHaveLength(2);
});

test('a prompt that cannot be sent goes back into the editor, with its attachments', async () => {
  const { controller, until, printed } = await openScriptedTerminal();
  const attached = [{ type: 'attachment' as const, name: 'notes', data: Buffer.from('some notes') }];
  controller.send({ text: '/skill nothing do it', attached });
  await until(({ refill, running }) => refill !== undefined && !running);
  expect(controller.state.get().refill).toMatchObject({ text: '/skill nothing do it', attached });
  expect(printed()).toContain('nothing');
});

test('a text for the next prompt is sent with that prompt only', async () => {
  const { controller, until, requests } = await openScriptedTerminal({ answers: [says('One.'), says('Two.')] });
  controller.attachToNext({ type: 'attachment', name: 'ls', data: Buffer.from('tax.js') });
  controller.send(draftOf('first'));
  await until(({ running }) => running);
  await until(({ running }) => !running);
  controller.send(draftOf('second'));
  await until(({ running }) => running);
  await until(({ running }) => !running);
  expect(requests().map((body) => body.split('tax.js').length - 1)).toEqual([1, 1]);
});

test('the dispatcher takes commands, which are then not sent', async () => {
  const taken: string[] = [];
  const { controller } = await openScriptedTerminal({
    dispatch: ({ text }) => {
      if (text.startsWith('/')) taken.push(text);
      return text.startsWith('/');
    },
  });
  controller.send(draftOf('/cost'));
  expect([taken, controller.state.get().running]).toEqual([['/cost'], false]);
});
