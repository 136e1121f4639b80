import { callId } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { SessionEvent } from '../ports/session-event.ts';
import { createEventFeed } from './event-feed.ts';

const output = (call: string, text: string): SessionEvent => ({ type: 'tool.output', call: callId(call), text });
const delta = (text: string): SessionEvent => ({ type: 'text.delta', text });

async function* nothing(): AsyncGenerator<never> {}

test('output that a slow listener has not read is joined by call, and its middle is left out', async () => {
  const feed = createEventFeed(nothing, false);
  const events = feed.listen();
  feed.tell(output('a', 'one\n'));
  feed.tell(output('b', 'other\n'));
  feed.tell(delta('x'));
  for (let count = 0; count < 20_000; count += 1) feed.tell(output('a', `line ${count}\n`));
  feed.end();
  const heard = await Array.fromAsync(events);
  expect(heard.map((event) => ('call' in event ? event.call : event.type))).toEqual(['a', 'b', 'text.delta']);
  const [first, second] = heard;
  if (first?.type !== 'tool.output') throw new Error('no output');
  expect(first.text.length).toBeLessThanOrEqual(65_536);
  expect(first.text).toMatch(/^one\nline 0\n[^]*\n\[tidemark: output is not shown here\]\n[^]*\nline 19999\n$/);
  expect(second).toEqual(output('b', 'other\n'));
});

test('output that did not fit into the buffer of a listener is reported before the next output of its call', async () => {
  const feed = createEventFeed(nothing, false);
  const events = feed.listen();
  for (let count = 0; count < 1_000; count += 1) feed.tell(delta('x'));
  feed.tell(output('a', 'lost\n'));
  for (let count = 0; count < 1_000; count += 1) await events.next();
  feed.tell(output('a', 'one\n'));
  feed.tell(output('b', 'other\n'));
  expect((await events.next()).value).toEqual(output('a', '[tidemark: output is not shown here]\none\n'));
  expect((await events.next()).value).toEqual(output('b', 'other\n'));
});

test('output that a listener has read is not sent again', async () => {
  const feed = createEventFeed(nothing, false);
  const events = feed.listen();
  feed.tell(output('a', 'one\n'));
  expect((await events.next()).value).toEqual(output('a', 'one\n'));
  feed.tell(output('a', 'two\n'));
  expect((await events.next()).value).toEqual(output('a', 'two\n'));
});
