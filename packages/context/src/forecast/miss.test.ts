import type { DiagnosisRecord, EpochCause, MissCause } from '@tidemark/log';
import { describe, expect, it, test } from 'vitest';
import type { CrossCheckVerdict, MissEvidence } from './miss.ts';
import { causesOfMiss, crossCheck } from './miss.ts';

const ANTHROPIC = { markers: 'explicit' } as const;

const FORESEEN = { capabilities: ANTHROPIC, loss: { cause: 'opened', tokens: 9 } } as const;

const UNFORESEEN = { capabilities: ANTHROPIC, loss: undefined } as const;

const missWith = (reason: string): DiagnosisRecord => ({ found: 'miss', reason });

describe('a miss that was foreseen', () => {
  test('has the cause known before sending', () => {
    expect(causesOfMiss(FORESEEN)).toEqual(['opened']);
    expect(causesOfMiss({ ...FORESEEN, loss: { cause: 'image', tokens: 9 } })).toEqual(['image']);
  });

  test('lists `expired` first if the entry had also expired', () => {
    expect(causesOfMiss({ ...FORESEEN, gone: 'expired' })).toEqual(['expired', 'opened']);
    expect(causesOfMiss({ ...FORESEEN, loss: { cause: 'expired', tokens: 9 }, gone: 'expired' })).toEqual(['expired']);
  });

  test('lists `account` first if the entry also belonged to another account', () => {
    expect(causesOfMiss({ ...FORESEEN, gone: 'account' })).toEqual(['account', 'opened']);
    expect(causesOfMiss({ ...FORESEEN, loss: { cause: 'account', tokens: 9 }, gone: 'account' })).toEqual(['account']);
  });
});

describe('the cause of a miss that was not foreseen', () => {
  test.each<[string, Partial<MissEvidence>, string]>([
    ['`evicted` if the provider sees no change', { diagnosis: { found: 'same' }, seen: true }, 'evicted'],
    ['`evicted` if an identical prefix was sent before and there is no diagnosis', { seen: true }, 'evicted'],
    [
      '`evicted` if the provider had not finished comparing',
      { seen: true, diagnosis: { found: 'pending' } },
      'evicted',
    ],
    ['`unknown` if no identical prefix was sent before', { diagnosis: { found: 'same' } }, 'unknown'],
    [
      '`unknown` if the provider reports changed messages',
      { seen: true, diagnosis: missWith('messages_changed') },
      'unknown',
    ],
    [
      '`parameter` if the provider reports a changed setting',
      { seen: true, diagnosis: missWith('service_tier_changed') },
      'parameter',
    ],
    [
      '`unknown` if a cache hit was shorter than expected',
      { seen: true, diagnosis: { found: 'hit' }, capabilities: { markers: 'implicit', routing: 'automatic' } },
      'unknown',
    ],
    [
      '`unknown` with a router, which may have used another upstream',
      { seen: true, capabilities: { markers: 'pass-through' } },
      'unknown',
    ],
    [
      '`unknown` with a router that accepts explicit markers, which may have used another upstream',
      { seen: true, capabilities: { markers: 'explicit', routing: 'automatic' } },
      'unknown',
    ],
    [
      '`unknown` with explicit markers and routing by key, which may have used another machine',
      { seen: true, capabilities: { markers: 'explicit', routing: 'by-key' } },
      'unknown',
    ],
    [
      '`unknown`, not an overflow, if many calls share a key and the provider routes automatically',
      { seen: true, crowded: true, capabilities: { markers: 'implicit', routing: 'automatic' } },
      'unknown',
    ],
    [
      '`evicted`, not an overflow, if many calls share a key and the provider does not route',
      { seen: true, crowded: true },
      'evicted',
    ],
    [
      '`overflow-routing` if many calls share a key',
      { seen: true, crowded: true, capabilities: { markers: 'implicit', routing: 'by-key' } },
      'overflow-routing',
    ],
    ['`unknown` without evidence', {}, 'unknown'],
  ])('is %s', (_, evidence, cause) => {
    expect(causesOfMiss({ ...UNFORESEEN, ...evidence })).toEqual([cause]);
  });

  test('is taken from the diagnosis if the loss was foreseen without a cause', () => {
    const loss = { cause: 'unknown', tokens: 9 } as const;
    expect(causesOfMiss({ ...UNFORESEEN, loss, diagnosis: missWith('verbosity_changed') })).toEqual(['parameter']);
    expect(causesOfMiss({ ...UNFORESEEN, loss, seen: true })).toEqual(['unknown']);
  });
});

type Cause = EpochCause | MissCause;

const miss = (reason: string): DiagnosisRecord => ({ found: 'miss', reason, missed: 10 });

describe('`crossCheck` of a reported miss', () => {
  test.each<[string, readonly Cause[], CrossCheckVerdict]>([
    ['model_changed', ['opened', 'model'], 'agrees'],
    ['model_changed', ['parameter'], 'agrees'],
    ['tools_changed', ['opened', 'tools'], 'agrees'],
    ['system_changed', ['opened', 'role'], 'agrees'],
    ['messages_changed', ['opened', 'compaction'], 'agrees'],
    ['messages_changed', ['thinking-stripped'], 'agrees'],
    ['input_changed', ['opened', 'skills'], 'agrees'],
    ['reasoning_effort_changed', ['opened', 'reasoning'], 'agrees'],
    ['text_format_changed', ['opened', 'parameters'], 'agrees'],
    ['tools_changed', ['expired', 'tools'], 'agrees'],
    ['tools_changed', ['opened', 'role'], 'disagrees'],
    ['messages_changed', ['expired'], 'disagrees'],
    ['system_changed', ['opened', 'compaction'], 'disagrees'],
    ['a_word_of_tomorrow', ['opened', 'model'], 'disagrees'],
    ['messages_changed', ['unknown'], 'explains'],
  ])('%s with our causes %j has the verdict %s', (reason, causes, verdict) => {
    expect(crossCheck(miss(reason), causes)).toBe(verdict);
  });
});

describe('`crossCheck` of a report without a change', () => {
  it.each(['expired', 'evicted', 'below-floor', 'lookback', 'racing', 'overflow-routing'] as const)(
    'agrees with %s, because an unchanged request can lose its cache entry',
    (cause) => {
      expect(crossCheck({ found: 'same' }, [cause])).toBe('agrees');
    },
  );

  it.each(['model', 'tools', 'compaction', 'parameters'] as const)('disagrees with an epoch opened by %s', (cause) => {
    expect(crossCheck({ found: 'same' }, ['opened', cause])).toBe('disagrees');
    expect(crossCheck({ found: 'hit' }, ['opened', cause])).toBe('disagrees');
  });

  it('explains a miss without a known cause', () => {
    expect(crossCheck({ found: 'same' }, ['unknown'])).toBe('explains');
  });
});

it.each(['pending', 'unknown-response', 'unavailable'] as const)(
  '`crossCheck` is silent for the report %s',
  (found) => {
    expect([crossCheck({ found }, ['opened', 'tools']), crossCheck({ found }, ['unknown'])]).toEqual([
      'silent',
      'silent',
    ]);
  },
);
