import type { PaddingSetting } from '@tidemark/log';
import { position } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { created, fold, logOf, named, newHash, prompt } from '../../tests/log-of.ts';
import type { RequestSpec } from './epoch.ts';
import { neededEpoch, openEpoch } from './epoch.ts';
import { TM1_RUNTIME } from '../front/contract/tm1.ts';
import { composeFront, layer, padFront } from '../front/front.ts';
import type { State } from '../state/state.ts';

const SPECS = [{ name: 'read', description: 'Reads.', schema: {} }];

const texts = composeFront({ tools: SPECS }, newHash);

const wanted: RequestSpec = { provider: 'anthropic', model: 'm', parameters: {}, capabilities: named('row'), texts };

const before = fold([created, prompt('go')]);

function openedWith(one: RequestSpec, state: State = before): State {
  const cause = neededEpoch(state, one) ?? 'initial';
  return fold([['epoch.opened', openEpoch(state, one, cause, { rewrite: 0 }, newHash)]], state);
}

const open = openedWith(wanted);

const padded = padFront(texts, { floor: 4_096, preloads: [] }, newHash);

const offered = (setting: PaddingSetting): RequestSpec => ({ ...wanted, padding: { setting, padded, others: 0 } });

test('an epoch opens with the first request of a session', () => {
  expect(neededEpoch(before, wanted)).toBe('initial');
  expect(open.epoch?.opened).toMatchObject({ number: 0, cause: 'initial', contract: 'tm3', tools: [{ name: 'read' }] });
});

test('no epoch opens for the same front', () => {
  expect(neededEpoch(open, { ...wanted })).toBeUndefined();
});

test('no epoch opens for tools that return with the same bytes (claude-code#65917)', () => {
  const again = composeFront({ tools: [{ schema: {}, name: 'read', description: 'Reads.' }] }, newHash);
  expect(neededEpoch(open, { ...wanted, texts: again })).toBeUndefined();
});

test('no epoch opens for a setting that is changed and then changed back', () => {
  expect(neededEpoch(open, { ...wanted, parameters: { effort: 'high' } })).toBe('reasoning');
  expect(neededEpoch(open, wanted)).toBeUndefined();
});

test.each<readonly [string, Partial<RequestSpec>]>([
  ['model', { model: 'n' }],
  ['model', { provider: 'openai' }],
  ['tools', { texts: composeFront({}, newHash) }],
  ['role', { texts: { ...texts, layers: composeFront({ role: 'You review.' }, newHash).layers } }],
  ['reasoning', { parameters: { thinking: { type: 'enabled', budget_tokens: 1024 } } }],
  ['parameters', { parameters: { speed: 'fast' } }],
  ['contract', { texts: composeFront({ tools: SPECS, runtime: 'brief' }, newHash) }],
])('an epoch opens with the cause %s', (cause, change) => {
  expect(neededEpoch(open, { ...wanted, ...change })).toBe(cause);
});

test('an epoch opens once for a compaction', () => {
  const data = {
    range: { from: position(0), to: position(1) },
    strategy: 'recorded',
    trigger: 'manual',
    checkpoint: 'so far',
    limitations: [],
  } as const;
  const compacted: TestEvent = ['history.compacted', data];
  const state = logOf([compacted], open.length).reduce((folded) => fold([compacted], folded), open);
  expect(neededEpoch(state, wanted)).toBe('compaction');
  const after = openedWith(wanted, state);
  expect(after.epoch?.opened.checkpoint).toBe(open.length);
  expect(neededEpoch(after, wanted)).toBeUndefined();
});

test('a changed front counts as an edit of sent content, and a changed parameter does not', () => {
  const first = open.epoch?.edited;
  expect(openedWith({ ...wanted, parameters: { effort: 'high' } }, open).epoch?.edited).toBe(first);
  expect(openedWith({ ...wanted, texts: composeFront({}, newHash) }, open).epoch?.edited).toBe(open.length);
});

test('no epoch opens only because the padding decision would now be different', () => {
  const full = openedWith({ ...wanted, texts: padded ?? texts });
  for (const setting of ['auto', 'always', 'never'] as const) {
    expect(neededEpoch(open, offered(setting))).toBeUndefined();
    expect(neededEpoch(full, offered(setting))).toBeUndefined();
  }
  expect(neededEpoch(full, { ...offered('auto'), texts: composeFront({}, newHash) })).toBe('tools');
});

test('no epoch opens if the text of the padding changes or padding is no longer offered', () => {
  const full = openedWith({ ...wanted, texts: padded ?? texts });
  const small = padFront(texts, { floor: 1_024, preloads: [] }, newHash);
  for (const now of [small, undefined])
    expect(neededEpoch(full, { ...wanted, padding: { setting: 'auto', padded: now, others: 0 } })).toBeUndefined();
  expect(neededEpoch(full, wanted)).toBeUndefined();
});

test('the skill list in an older front opens no epoch, and other differences still open an epoch', () => {
  const list = layer('skills', 'r1', 'project', '- tax: taxes', newHash);
  const older = openedWith({ ...wanted, texts: { ...texts, layers: [...texts.layers, list] } });
  expect(older.epoch?.opened.layers.map(({ name }) => name)).toEqual(['runtime', 'skills']);
  expect(neededEpoch(older, wanted)).toBeUndefined();
  const brief = composeFront({ tools: SPECS, runtime: 'brief' }, newHash);
  expect(neededEpoch(older, { ...wanted, texts: brief })).toBe('contract');
});

describe('an earlier wording of the front', () => {
  const digestOf = (definition: string): string => newHash().update(definition).hex();
  const [tool] = texts.tools;
  const newer = composeFront(
    {
      tools: [
        { name: 'read', description: 'Returns a file.', schema: {}, earlier: [digestOf(tool?.definition ?? '')] },
      ],
    },
    newHash,
  );
  const runtime = layer('runtime', 'tm1', 'global', TM1_RUNTIME, newHash);
  const older = openedWith({ ...wanted, texts: { ...texts, contract: 'tm1', layers: [runtime] } });

  test('opens no epoch: a session with `tm1` and an earlier tool definition keeps both', () => {
    expect(neededEpoch(older, { ...wanted, texts: newer })).toBeUndefined();
  });

  test('is replaced when another cause opens an epoch, which names the contract and the tools as further causes', () => {
    const state = openedWith({ ...wanted, texts: newer, parameters: { speed: 'fast' } }, older);
    expect(state.epoch?.opened).toMatchObject({
      cause: 'parameters',
      contract: 'tm3',
      tools: [newer.tools[0]?.record],
    });
  });

  test('does not prevent a new epoch for another contract, another definition, or a tool with another name', () => {
    const brief = composeFront({ tools: SPECS, runtime: 'brief' }, newHash);
    expect(neededEpoch(older, { ...wanted, texts: brief })).toBe('contract');
    const edited = composeFront(
      { tools: [{ name: 'read', description: 'Reads it.', schema: {}, earlier: [] }] },
      newHash,
    );
    expect(neededEpoch(older, { ...wanted, texts: edited })).toBe('tools');
    const renamed = composeFront({ tools: [{ ...SPECS[0], name: 'look', description: '', schema: {} }] }, newHash);
    expect(neededEpoch(older, { ...wanted, texts: renamed })).toBe('tools');
  });
});
