import { position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Told } from '../tests/log-of.ts';
import { answer, call, created, fold, named, packed, prompt, returned } from '../tests/log-of.ts';

test('a call closes whatever name its provider gave it, that of a member of every object included', () => {
  const state = fold([created, prompt('go'), answer([call('constructor')]), returned('constructor')]);
  expect(state.history.batch).toBeUndefined();
  expect(packed(state)).toEqual(['user: go', 'assistant: call constructor', 'user: result constructor']);
});

test('a batch is packed when the last of its calls closes, in call order', () => {
  const open = fold([created, prompt('go'), answer([call('a'), call('b')]), returned('b')]);
  expect(packed(open)).toEqual(['user: go']);
  expect(packed(fold([returned('a')], open))).toEqual([
    'user: go',
    'assistant: call a + call b',
    'user: result a',
    'user: result b',
  ]);
});

test('an epoch that repacks forgets the calls it drops and knows those it keeps', () => {
  const compacted: Told = [
    'history.compacted',
    {
      range: { from: position(0), to: position(4) },
      strategy: 'recorded',
      trigger: 't',
      checkpoint: 'c',
      limitations: [],
    },
  ];
  const opened: Told = [
    'epoch.opened',
    {
      number: 1,
      cause: 'compaction',
      provider: 'anthropic',
      model: 'm',
      parameters: {},
      capabilities: named('row'),
      contract: 'tm1',
      layers: [],
      tools: [],
      cacheKey: 'k',
      forecast: { rewrite: 0 },
      checkpoint: position(7),
    },
  ];
  const used: readonly Told[] = [answer([call('a')]), returned('a'), prompt('on'), answer([call('b')]), returned('b')];
  const state = fold([created, prompt('go'), ...used, compacted, opened]);
  expect([...state.history.calls.keys()]).toEqual(['b']);
  const again = fold([answer([call('a'), call('b')]), returned('a'), returned('b')], state);
  expect(packed(again).at(-3)).toBe('assistant: call a + call b_9');
});
