import type { State } from '@tidemark/context';
import { appendOnly, emptyState } from '@tidemark/context';
import type { FileTouch } from '@tidemark/log';
import { digest, position, sessionId } from '@tidemark/log';
import type { Part, Span } from '@tidemark/model';
import { callId } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { KnownContent } from './known-content.ts';
import { contentAfter, missingContent } from './known-content.ts';

const ONE = digest('1'.repeat(64));
const TWO = digest('2'.repeat(64));
const TEXT = 'content of the file';

const touch = (as: FileTouch['as'], more: Partial<FileTouch> = {}): FileTouch => ({
  path: '/a',
  digest: ONE,
  as,
  ...more,
});
const at = (answer: number, isCut = false) => ({
  answer,
  call: callId(`call_${answer}`),
  result: { position: answer + 1, units: TEXT.length },
  isCut,
});

function span(place: number, part: Part): Span {
  const origin = { from: 'event', session: sessionId('s'), position: position(place) } as const;
  return { role: 'user', stability: 'session', origin, ordinal: place, group: place, opensTurn: false, parts: [part] };
}

/** Returns a state with the calls of these answers and their results, which are `text`. */
function stateWith(answers: readonly number[], text: string = TEXT): State {
  const spans = answers.flatMap((answer) => {
    const call = callId(`call_${answer}`);
    return [
      span(answer, { type: 'call', call, name: 'read', arguments: '{}' }),
      span(answer + 1, { type: 'result', call, error: false, content: [{ type: 'text', text }] }),
    ];
  });
  const state = emptyState();
  return { ...state, history: { ...state.history, packed: appendOnly(spans) } };
}

function known(...touches: readonly (readonly [FileTouch, ReturnType<typeof at>])[]): KnownContent {
  const content = touches.reduce<KnownContent | undefined>(
    (before, [file, call]) => contentAfter(before, file, call),
    undefined,
  );
  if (content === undefined) throw new Error('the file has no content');
  return content;
}

test('a read file is known while its whole result is packed', () => {
  const content = known([touch('read'), at(10)]);
  expect(missingContent(content, stateWith([10]))).toBeUndefined();
  expect(missingContent(content, stateWith([10], 'content [Shortened here]'))).toBe('dropped');
  expect(missingContent(content, stateWith([12]))).toBe('dropped');
});

test('a result that was shortened when it was recorded does not show the file', () => {
  expect(missingContent(known([touch('read'), at(10, true)]), stateWith([10]))).toBe('never-whole');
});

test('a picture or the text of a PDF does not show the file, and neither does an edit after it', () => {
  const seen = touch('read', { shows: 'other-form' });
  const edit = touch('written', { digest: TWO, before: ONE, shows: 'change' });
  expect(missingContent(known([seen, at(10)]), stateWith([10]))).toBe('never-whole');
  expect(missingContent(known([seen, at(10)], [edit, at(12)]), stateWith([10, 12]))).toBe('never-whole');
  expect(missingContent(known([touch('written'), at(8)], [seen, at(10)]), stateWith([8, 10]))).toBeUndefined();
});

test('parts of a file are known together if they cover it', () => {
  const part = (from: number, to: number): FileTouch => touch('read', { shows: { from, to, of: 30 } });
  const content = known([part(20, 30), at(10)], [part(0, 12), at(12)], [part(10, 20), at(14)]);
  expect(missingContent(content, stateWith([10, 12, 14]))).toBeUndefined();
  expect(missingContent(content, stateWith([10, 14]))).toBe('dropped');
  expect(missingContent(known([part(0, 12), at(10)], [part(14, 30), at(12)]), stateWith([10, 12]))).toBe('never-whole');
});

test('an edited file is known if the content before and the edits are known', () => {
  const edit = touch('written', { digest: TWO, before: ONE, shows: 'change' });
  const content = known([touch('read'), at(10)], [edit, at(12)]);
  expect(missingContent(content, stateWith([10, 12]))).toBeUndefined();
  expect(missingContent(content, stateWith([10]))).toBe('dropped');
  expect(missingContent(content, stateWith([12]))).toBe('dropped');
  const again = known([touch('read'), at(10)], [edit, at(12)], [touch('read', { digest: TWO }), at(14)]);
  expect(missingContent(again, stateWith([14]))).toBeUndefined();
});

test('a file that another program changed between a read and an edit is not known by the read', () => {
  const edit = touch('written', { digest: TWO, before: digest('3'.repeat(64)), shows: 'change' });
  expect(missingContent(known([touch('read'), at(10)], [edit, at(12)]), stateWith([10, 12]))).toBe('never-whole');
});

test('a written file is known while the call is packed, even if its result is shortened', () => {
  const content = known([touch('written', { before: 'absent' }), at(10)]);
  expect(missingContent(content, stateWith([10], 'wrote'))).toBeUndefined();
  expect(missingContent(content, stateWith([]))).toBe('dropped');
});

test('a removed file has no content', () => {
  expect(contentAfter(known([touch('read'), at(10)]), { path: '/a', as: 'removed' }, at(12))).toBeUndefined();
});
