import type { Outgoing, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { expect, it } from 'vitest';
import type { ScriptedProvider } from './index.ts';
import { createScriptedProvider } from './index.ts';

const outgoing: Outgoing = { body: new TextEncoder().encode('{}\n'), betas: [] };
const call = { type: 'call', call: 'c1', name: 'read', arguments: '{}' } as const;

async function said(provider: ScriptedProvider, sent: Outgoing = outgoing): Promise<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of provider.send(sent)) parts.push(part);
  return parts;
}

it('gives the answers of its list in order, each part growing before it is whole', async () => {
  const provider = createScriptedProvider({ answers: [{ parts: [{ type: 'text', text: 'a' }, call] }, { parts: [] }] });
  const first = await said(provider);
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
  expect((await said(provider)).at(-1)).toMatchObject({ answer: { stop: 'end', response: 'scripted_1' } });
  expect(provider.sent).toEqual([outgoing, outgoing]);
});

it('answers what was asked', async () => {
  const provider = createScriptedProvider({
    respond: ({ body, index }) => ({ parts: [{ type: 'text', text: `${index}:${body.length}` }] }),
  });
  expect((await said(provider)).at(-1)).toMatchObject({ answer: { parts: [{ text: '0:3' }] } });
});

it('fails at the stream part it is told to', async () => {
  const error = new ProviderError('retryable', 'provider/cut', 'cut', { provider: 'scripted' });
  const provider = createScriptedProvider({ answers: [{ parts: [call], fault: { after: 2, error } }] });
  const parts: string[] = [];
  const failing = async (): Promise<void> => {
    for await (const { type } of provider.send(outgoing)) parts.push(type);
  };
  await expect(failing()).rejects.toBe(error);
  expect(parts).toEqual(['began', 'call.began']);
});

it('says that its script has run out', async () => {
  await expect(said(createScriptedProvider({ answers: [] }))).rejects.toMatchObject({ code: 'provider/invalid' });
});

it('stops for a caller that aborts', async () => {
  const provider = createScriptedProvider({ answers: [{ parts: [] }] });
  await expect(said(provider, { ...outgoing, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'provider/aborted',
  });
});
