import type { Explanation } from '@tidemark/agent';
import { expect, test } from 'vitest';
import { describeCheck } from './cross-check.ts';
import { withStyle } from '../frame/shown.ts';

type Checked = NonNullable<Explanation['checked']>;

test.each<[Checked, ReturnType<typeof describeCheck>]>([
  [
    { diagnosis: { found: 'miss', reason: 'tools_changed', missed: 4100 }, verdict: 'agrees' },
    'the provider agrees: tools_changed, about 4,100 tokens',
  ],
  [
    { diagnosis: { found: 'miss', reason: 'messages_changed' }, verdict: 'disagrees' },
    withStyle('red', 'the provider disagrees: messages_changed'),
  ],
  [
    { diagnosis: { found: 'same' }, verdict: 'explains' },
    'the provider reports: the content that was sent before is unchanged, so the entry was no longer in its cache',
  ],
  [
    { diagnosis: { found: 'same' }, verdict: 'agrees' },
    'the provider agrees: the content that was sent before is unchanged',
  ],
  [
    { diagnosis: { found: 'unknown-response' }, verdict: 'silent' },
    'no diagnosis from the provider: it does not remember the previous request',
  ],
])('`describeCheck` describes %j', (checked, words) => {
  expect(describeCheck(checked)).toEqual(words);
});
