import type { DiagnosisRecord, EpochCause, MissCause } from '@tidemark/log';
import { describe, expect, it, test } from 'vitest';
import type { CrossCheckVerdict } from './cross-check.ts';
import { crossCheck } from './cross-check.ts';

type Cause = EpochCause | MissCause;
const miss = (reason: string): DiagnosisRecord => ({ found: 'miss', reason, missed: 10 });

describe('a word of a provider', () => {
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
  ])('%s beside %j %s', (reason, causes, verdict) => {
    expect(crossCheck(miss(reason), causes)).toBe(verdict);
  });
});

describe('a provider that sees no change', () => {
  it.each(['expired', 'evicted', 'below-floor', 'lookback', 'racing', 'overflow-routing'] as const)(
    'agrees with %s: what was sent is not what was lost',
    (cause) => {
      expect(crossCheck({ found: 'same' }, [cause])).toBe('agrees');
    },
  );

  it.each(['model', 'tools', 'compaction', 'parameters'] as const)(
    'disagrees with an epoch of the cause %s',
    (cause) => {
      expect(crossCheck({ found: 'same' }, ['opened', cause])).toBe('disagrees');
      expect(crossCheck({ found: 'hit' }, ['opened', cause])).toBe('disagrees');
    },
  );

  it('explains a miss of which we know no cause', () => {
    expect(crossCheck({ found: 'same' }, ['unknown'])).toBe('explains');
  });
});

it.each(['pending', 'unknown-response', 'unavailable'] as const)('%s bears on no cause', (found) => {
  expect([crossCheck({ found }, ['opened', 'tools']), crossCheck({ found }, ['unknown'])]).toEqual([
    'silent',
    'silent',
  ]);
});
