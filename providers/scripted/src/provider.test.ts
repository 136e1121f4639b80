import type { Outgoing, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { expect, it } from 'vitest';
import type { ScriptedProvider } from './index.ts';
import { createScriptedProvider } from './index.ts';

const outgoing: Outgoing = { body: new TextEncoder().encode('{}\n'), betas: [] };
const call = { type: 'call', call: 'c1', name: 'read', arguments: '{}' } as const;

async function streamParts(provider: ScriptedProvider, sent: Outgoing = outgoing): Promise<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of provider.send(sent)) parts.push(part);
  return parts;
}

it('a scripted provider returns the answers of its list in order and streams each part before its whole form', async () => {
  const provider = createScriptedProvider({ answers: [{ parts: [{ type: 'text', text: 'a' }, call] }, { parts: [] }] });
  const first = await streamParts(provider);
  expect(first.map(({ type }) => type)).toEqual([
    'began',
    'text.delta',
    'part',
    'call.began',
    'call.delta',
    'part',
    'finished',
  ]);
  expect(first.at(-1)).toMatchObject({ answer: { stop: 'calls', response: 'scripted_0', usage: {} } });
  expect((await streamParts(provider)).at(-1)).toMatchObject({ answer: { stop: 'end', response: 'scripted_1' } });
  expect(provider.sent).toEqual([outgoing, outgoing]);
});

it('`respond` creates an answer from the request', async () => {
  const provider = createScriptedProvider({
    respond: ({ body, index }) => ({ parts: [{ type: 'text', text: `${index}:${body.length}` }] }),
  });
  expect((await streamParts(provider)).at(-1)).toMatchObject({ answer: { parts: [{ text: '0:3' }] } });
});

it('a fault is thrown in place of the stream part with the index `after`', async () => {
  const error = new ProviderError('retryable', 'provider/cut', 'cut', { provider: 'scripted' });
  const provider = createScriptedProvider({ answers: [{ parts: [call], fault: { after: 2, error } }] });
  const parts: string[] = [];
  const failing = async (): Promise<void> => {
    for await (const { type } of provider.send(outgoing)) parts.push(type);
  };
  await expect(failing()).rejects.toBe(error);
  expect(parts).toEqual(['began', 'call.began']);
});

it('a request after the last answer of the list throws `provider/invalid`', async () => {
  await expect(streamParts(createScriptedProvider({ answers: [] }))).rejects.toMatchObject({
    code: 'provider/invalid',
  });
});

it('an aborted call throws `provider/aborted`', async () => {
  const provider = createScriptedProvider({ answers: [{ parts: [] }] });
  await expect(streamParts(provider, { ...outgoing, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'provider/aborted',
  });
});
