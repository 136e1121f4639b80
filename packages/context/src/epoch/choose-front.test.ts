import type { EpochOpened } from '@tidemark/log';
import { expect, test } from 'vitest';
import { created, fold, named, newHash, prompt, row, second } from '../../tests/log-of.ts';
import type { FrontChoice } from './choose-front.ts';
import { chooseFront } from './choose-front.ts';
import type { RequestSpec } from './epoch.ts';
import { openEpoch } from './epoch.ts';
import { composeFront, padFront } from '../front/front.ts';

const HAIKU = row('claude-haiku-4-5');

const texts = composeFront({ role: 'word '.repeat(3_000) }, newHash);

const padded = padFront(texts, { floor: HAIKU.floor, preloads: [] }, newHash);

const wanted: RequestSpec = {
  provider: 'anthropic',
  model: HAIKU.model,
  parameters: {},
  capabilities: named('row'),
  texts,
  padding: { setting: 'auto', padded, others: 0 },
};

function choose(one: RequestSpec, text = 'go', before?: EpochOpened): FrontChoice {
  const state = fold([created, prompt(text)]);
  return chooseFront({ state, before, wanted: one, capabilities: HAIKU, at: second(0), ttl: '5m' });
}

function opened(one: RequestSpec, { texts: chosen, padding }: FrontChoice): EpochOpened {
  const data = openEpoch(fold([created]), { ...one, texts: chosen }, 'initial', { rewrite: 0 }, newHash);
  return padding === undefined ? data : { ...data, padding };
}

const asked = (setting: 'always' | 'never'): RequestSpec => ({ ...wanted, padding: { setting, padded, others: 0 } });

test('`chooseFront` pads the front if the calculation shows a gain, and records the calculation', () => {
  const { texts: chosen, padding } = choose(wanted);
  expect(chosen.layers.at(-1)?.record.name).toBe('padding');
  expect(padding).toMatchObject({ setting: 'auto', why: 'pays', floor: 4_096 });
});

test('`chooseFront` counts the tokens after the front, because a long prompt reaches the floor by itself', () => {
  const { texts: chosen, padding } = choose(wanted, 'word '.repeat(2_000));
  expect(chosen).toBe(texts);
  expect(padding).toMatchObject({ why: 'costs', calls: 0 });
});

test('`chooseFront` returns no padding record if padding was not offered', () => {
  const { padding: _, ...plain } = wanted;
  expect(choose(plain)).toEqual({ texts });
});

test('`chooseFront` keeps the decision if the next epoch has the same front', () => {
  const long = 'word '.repeat(2_000);
  const first = choose(wanted);
  expect(choose({ ...wanted, parameters: { effort: 'high' } }, long, opened(wanted, first))).toEqual(first);
  const never = choose(wanted, long);
  expect(choose(wanted, 'go', opened(wanted, never))).toEqual(never);
});

test('`chooseFront` decides again if the model, the front or the setting differs', () => {
  const before = opened(wanted, choose(wanted));
  const long = 'word '.repeat(2_000);
  expect(choose({ ...wanted, model: 'n' }, long, before).padding?.why).toBe('costs');
  const other = composeFront({ role: 'word '.repeat(2_900) }, newHash);
  const offer = {
    setting: 'auto',
    padded: padFront(other, { floor: HAIKU.floor, preloads: [] }, newHash),
    others: 0,
  } as const;
  expect(choose({ ...wanted, texts: other, padding: offer }, long, before).padding?.why).toBe('costs');
  expect(choose(asked('never'), 'go', before)).toMatchObject({ texts, padding: { why: 'never' } });
  expect(choose(asked('always'), long, before).padding?.why).toBe('always');
});
