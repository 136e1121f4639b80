// Tests wrong arguments from a program in JavaScript: each command refuses them, and the session stays usable.

import { expect, test } from 'vitest';
import { answering, goLive, says } from '../../tests/small-live.ts';
import type { AgentSession } from '../ports/live-session.ts';

const refused = { code: 'agent/bad-argument' };

test.each<[string, (live: AgentSession) => unknown, string]>([
  [
    'a mode that does not exist',
    (live) => call(live.setMode, 'plan'),
    'no mode "plan": use one of read-only, ask, accept-edits, auto',
  ],
  [
    'a list of texts as prompt',
    (live) => call(live.prompt, ['x']),
    'part 0 of the prompt is not { type: "text", text }',
  ],
  ['a message as prompt', (live) => call(live.prompt, [{ role: 'user', content: 'x' }]), 'part 0 of the prompt'],
  ['an object as prompt', (live) => call(live.prompt, { prompt: 'x' }), 'a prompt is a text, or a list of parts'],
  [
    'an image as text',
    (live) => call(live.prompt, [{ type: 'image', data: 'iVBOR' }]),
    'pass an image as a Uint8Array',
  ],
  ['a schema under another name', (live) => call(live.prompt, 'x', { schema: {} }), 'no option schema: use output'],
  ['an abort signal under another name', (live) => call(live.prompt, 'x', { abortSignal: 1 }), 'use signal'],
  [
    'the old name `words` of a side call',
    (live) => call(live.side, { purpose: 'title', words: 'x' }),
    'side has no option words: use prompt',
  ],
  ['a side call without a prompt', (live) => call(live.side, { purpose: 'title' }), 'side: `prompt` is missing'],
  ['an unknown option of a fork', (live) => call(live.fork, { fromMessage: 3 }), 'use beforePrompt'],
  ['an unknown option of another model', (live) => call(live.setModel, 'm', { apiKey: 'k' }), 'no option apiKey'],
  [
    'the option `inPlace`',
    (live) => call(live.setModel, 'm', { inPlace: true }),
    'fork({ model }) opens another session',
  ],
  ['a model that is a number', (live) => call(live.setModel, 4), 'a model is its name, or an object'],
  [
    'an address next to a model object',
    (live) => call(live.fork, { model: { provider: answering(), capabilities: {} }, baseURL: 'http://a' }),
    '`baseURL` has no effect next to a model object',
  ],
])('a session refuses %s, and takes the next prompt', async (_case, act, message) => {
  const { live, records } = await goLive({ provider: answering(says('Well.')) });
  const before = (await records()).length;
  await expect((async () => act(live))()).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining(message),
  });
  expect(await records()).toHaveLength(before);
  expect(await live.prompt('Go on.')).toMatchObject({ outcome: 'completed', text: 'Well.' });
});

test('a turn is interrupted when its signal aborts, before it begins or while it runs', async () => {
  const { live } = await goLive({ provider: answering(says('one'), says('two')) });
  expect(await live.prompt('Go.', { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'interrupted' });
  expect(await live.prompt('Again.', { signal: new AbortController().signal })).toMatchObject({ outcome: 'completed' });
});

function call(command: (...given: never[]) => unknown, ...given: readonly unknown[]): unknown {
  return Reflect.apply(command, undefined, [...given]);
}
