// Tests `session.messages()`, which returns the conversation for a user interface.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { answering, calls, failure, goLive, hanging, says } from '../../tests/small-live.ts';
import type { Live } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';

const look = made('look', () => ({ text: 'seen' }));
const messagesOf = async ({ live }: Pick<Live, 'live'>): Promise<readonly (readonly unknown[])[]> =>
  (await Array.fromAsync(live.messages())).map(({ role, text, parts }) => [role, text, parts.map(({ type }) => type)]);

test('`messages` returns the prompts and the answers of a reopened session in their order', async () => {
  const first = answering(calls(['c1', 'look']), says('done'), says('A title'));
  const { live, shelf } = await goLive({ provider: first, runtime: { tools: [look] } });
  await live.prompt('go');
  await live.side({ purpose: 'title', prompt: 'Name it.' });
  await live.close();
  const again = await goLive({ provider: answering(), shelf });
  expect(await messagesOf(again)).toEqual([
    ['user', 'go', ['text']],
    ['assistant', '', ['call']],
    ['assistant', 'done', ['text']],
  ]);
});

test('`messages` of a fork begins with the messages of its parent, and a position of a message can be forked', async () => {
  const { live } = await goLive({ provider: answering(says('one'), says('two'), says('three')) });
  await live.prompt('first');
  await live.prompt('second');
  const [, , second] = await Array.fromAsync(live.messages());
  const fork = await live.fork({ beforePrompt: -1 });
  await fork.prompt('instead');
  expect((await messagesOf({ live: fork })).map(([, text]) => text)).toEqual(['first', 'one', 'instead', 'three']);
  expect(second).toMatchObject({ role: 'user', text: 'second', position: expect.any(Number), at: expect.any(String) });
});

test('`messages` contains an answer that the user interrupted, and no attempt that broke off', async () => {
  const cut = says('The la', { fault: { after: 2, error: failure({ code: 'provider/cut' }) } });
  const broken = await goLive({ provider: answering(cut, says('The lamp')) });
  const turn = broken.live.prompt('go');
  for await (const { type } of turn) if (type === 'notice.raised') broken.pass(60_000);
  expect((await messagesOf(broken)).map(([, text]) => text)).toEqual(['go', 'The lamp']);
  const provider = hanging([
    { type: 'began', usage: {} },
    { type: 'text.delta', index: 0, text: 'Well' },
  ]);
  const { live } = await goLive({ provider });
  const stopped = live.prompt('go');
  await provider.reached;
  await live.interrupt();
  await stopped;
  expect((await Array.fromAsync(live.messages())).at(-1)).toMatchObject({
    role: 'assistant',
    text: 'Well',
    interrupted: true,
  });
});

test('a message names the kinds of parts that its text leaves out', async () => {
  const image = { width: 8, height: 8, mediaType: 'image/png', data: new Uint8Array([1]), changes: [] };
  const { live } = await goLive({
    provider: answering(calls(['c1', 'look']), says('done')),
    runtime: { tools: [look], images: { fit: () => Promise.resolve(image) } },
  });
  await live.prompt([
    { type: 'text', text: 'See:' },
    { type: 'image', data: new Uint8Array([1]) },
  ]);
  const found = await Array.fromAsync(live.messages());
  expect(found.map(({ text, omitted }) => [text, omitted])).toEqual([
    ['See:', ['image']],
    ['', ['call']],
    ['done', undefined],
  ]);
});

test('a message is marked as truncated if its attachment or its answer is cut', async () => {
  const { live } = await goLive({
    provider: answering(says('Half of', { stop: 'length' }), says(' it.'), says('Short.')),
  });
  const data = new TextEncoder().encode('a line\n'.repeat(20_000));
  await live.prompt([
    { type: 'text', text: 'Read.' },
    { type: 'attachment', name: 'stdin', data },
  ]);
  await live.prompt([
    { type: 'text', text: 'Read.' },
    { type: 'attachment', name: 'stdin', data: data.slice(0, 70) },
  ]);
  const found = await Array.fromAsync(live.messages());
  expect(found.map(({ role, truncated }) => [role, truncated])).toEqual([
    ['user', true],
    ['assistant', true],
    ['assistant', undefined],
    ['user', undefined],
    ['assistant', undefined],
  ]);
});

test('the text of a prompt with `output` does not contain the request for JSON', async () => {
  const { live } = await goLive({ provider: answering(says('{"a":1}')) });
  const { output } = await live.prompt('Count.', { output: z.object({ a: z.number() }) });
  const [message] = await Array.fromAsync(live.messages());
  expect([output, message?.text, message?.parts.length]).toEqual([{ a: 1 }, 'Count.', 2]);
});
