import { scriptedEncoder } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { ID, READ, answer, begin, prepare, prompt } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { SNAPSHOTS_KEPT, requestSnapshots } from './request-snapshots.ts';

test('`requestSnapshots` returns the latest 24 requests, oldest first, each as it was sent', async () => {
  const small = await begin();
  const sent: { readonly bytes: number; readonly blocks: number }[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    await commit(small.session, [prompt(`number ${turn}`, turn)]);
    const prepared = await prepare(small, turn);
    sent.push({ bytes: prepared.body.length, blocks: prepared.sequence.blocks.length });
    await answer(small, prepared, undefined, turn);
  }
  const kept = await requestSnapshots(small.log, ID, () => scriptedEncoder);
  expect(SNAPSHOTS_KEPT).toBe(24);
  expect(kept.map(({ step }) => step)).toEqual(Array.from({ length: 24 }, (_, index) => index + 6));
  const sizes = kept.map(({ bytes, sections: { tools, system, messages } }) => ({
    bytes,
    blocks: tools.blocks + system.blocks + messages.blocks,
  }));
  expect(sizes).toEqual(sent.slice(6));
  expect(await requestSnapshots(small.log, ID, () => scriptedEncoder, 1)).toMatchObject([
    { step: 29, relation: 'extends' },
  ]);
});

test('a snapshot shows if its request opened a new epoch or inherited one from the parent session', async () => {
  const small = await begin();
  await commit(small.session, [prompt('hello')]);
  await answer(small, await prepare(small));
  const beside = { stream: 'side/title', extra: [{ type: 'text', text: 'Name this.' }], history: 'none' } as const;
  await answer(small, await prepare(small, 1, {}, { beside, purpose: 'title' }));
  await commit(small.session, [prompt('and now', 2)]);
  await answer(small, await prepare(small, 2, { tools: [READ, { ...READ, name: 'look' }] }));
  const kept = await requestSnapshots(small.log, ID, () => scriptedEncoder);
  expect(kept.map(({ purpose, relation, opened }) => [purpose, relation, opened])).toEqual([
    ['turn', 'opens', 'initial'],
    ['title', 'inherits', undefined],
    ['turn', 'opens', 'tools'],
  ]);
});
