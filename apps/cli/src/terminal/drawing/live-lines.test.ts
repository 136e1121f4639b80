// Tests the live part: running calls with the end of their output, and arriving reasoning.

import { callId, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';

import { answer, call, createRecords } from '../../../tests/terminal-scene.ts';
import type { Conversation } from '../state/conversation.ts';
import { EMPTY_CONVERSATION, foldEvent, foldRecord, withoutProcess } from '../state/conversation.ts';
import { blockLines } from './block-lines.ts';
import { lastOutput, liveLines } from './live-lines.ts';
import { rowsOf } from './rows.ts';

const STARTED = Date.parse('2026-11-20T12:00:00.000Z');

function drawn({ live }: Conversation, columns = 60): readonly string[] {
  return rowsOf(liveLines(live, { columns, rows: 24, now: STARTED + 4_100 }), columns, false);
}

test('a running call shows its time and the last lines of its output, without escape sequences', () => {
  const { record } = createRecords();
  const started = [
    record('answer.received', answer(call('c1', 'bash', { command: 'npm test' }), call('c2', 'read', { path: 'a' }))),
    record('tool.started', { call: callId('c1'), name: 'bash', effect: 'execute' }),
  ].reduce(foldRecord, EMPTY_CONVERSATION);
  const running = foldEvent(started, {
    type: 'tool.output',
    call: callId('c1'),
    text: 'one\n\u001b[31mtwo\u001b[0m\nthree\n10%\r50%\rdone\nfive\n',
  });
  expect(drawn(running)).toEqual(['● bash npm test  4.1 s', '  three', '  done', '  five', '● read a  waiting']);
});

test('a call that has ended is shown with its result while an earlier call runs, also if the process was killed', () => {
  const { record } = createRecords();
  const conversation = [
    record('answer.received', answer(call('c1', 'bash', { command: 'npm test' }), call('c2', 'read', { path: 'a' }))),
    record('tool.started', { call: callId('c1'), name: 'bash', effect: 'execute' }),
    record('tool.returned', { call: callId('c2'), parts: [{ type: 'text', text: 'one\ntwo' }], durationMs: 20 }),
  ].reduce(foldRecord, EMPTY_CONVERSATION);
  expect(drawn(conversation)).toEqual(['● bash npm test  4.1 s', '✓ read a  2 lines, 20 ms']);
  expect(drawn(withoutProcess(conversation)).at(-1)).toBe('✓ read a  2 lines, 20 ms');
});

test('a hook is shown while it runs for more than a moment, once for each call that it is asked about', () => {
  const waiting = (over: boolean, id: string) =>
    ({ type: 'hook.waiting', hook: 'guard', on: 'before-tool', call: callId(id), over }) as const;
  const two = [waiting(false, 'c1'), waiting(false, 'c2')].reduce(foldEvent, EMPTY_CONVERSATION);
  expect(drawn(two)).toEqual(['  waiting for the hook guard', '  waiting for the hook guard']);
  const one = foldEvent(two, waiting(true, 'c1'));
  expect(drawn(one)).toEqual(['  waiting for the hook guard']);
  expect(drawn(foldEvent(one, waiting(true, 'c2')))).toEqual([]);
});

test('`lastOutput` returns the last lines, and the last text of a line that was written over', () => {
  expect(lastOutput('a\nb\nc\n', 2)).toEqual(['b', 'c']);
  expect(lastOutput('a\r\n10%\r20%\r', 5)).toEqual(['a', '20%']);
  expect(lastOutput('', 5)).toEqual([]);
  // The word after the last blank is held back until the program writes on.
  expect(lastOutput('\rstep 1/9\rstep 2/9\rstep ', 5)).toEqual(['step 2/9']);
});

test('arriving reasoning shows its last three lines until the answer begins', () => {
  const thinking = foldEvent(EMPTY_CONVERSATION, { type: 'reasoning.delta', text: 'a\nb\n\nc\nd' });
  expect(drawn(thinking)).toEqual(['', '  b', '  c', '  d']);
  expect(drawn(foldEvent(thinking, { type: 'text.delta', text: 'So' }))).toEqual(['', 'So']);
});

test('calls of a process that ended have no clock, and name what happens with them', () => {
  const { record } = createRecords();
  const asked = answer(
    call('c1', 'bash', { command: 'npm test' }),
    call('c2', 'read', { path: 'a' }),
    call('c3', 'read', { path: 'b' }),
  );
  const dead = withoutProcess(
    [
      record('answer.received', asked),
      record('tool.started', { call: callId('c1'), name: 'bash', effect: 'execute' }),
      record('tool.started', { call: callId('c2'), name: 'read', effect: 'read' }),
    ].reduce(foldRecord, EMPTY_CONVERSATION),
  );
  expect(drawn(dead, 80)).toEqual([
    '✗ bash npm test  not finished: the process ended',
    '  Its effect is unknown, so it is not run again. The model is told.',
    '✗ read a  not finished: the process ended',
    '  `/continue` runs it. A new prompt does not.',
    '✗ read b  not started: the process ended',
    '  `/continue` runs it. A new prompt does not.',
  ]);
  const resumed = [
    record('turn.resumed', { trigger: 'user' }),
    record('tool.abandoned', { call: callId('c1'), reason: 'crashed' }),
  ].reduce(foldRecord, dead);
  const rows = rowsOf(
    resumed.blocks.from(0).flatMap((block) => blockLines(block, { columns: 80 })),
    80,
    false,
  );
  expect(rows.at(-1)).toBe('✗ bash npm test  not finished: the process ended');
  expect(drawn(resumed)).toEqual(['● read a  4.1 s', '● read b  waiting']);
});

test('the pause before a retry is counted down until the request is prepared again', () => {
  const { record } = createRecords();
  const at = timestamp('2026-11-20T12:00:12.000Z');
  const notice = { code: 'turn/retrying', message: 'overloaded', next: 'interrupt', retry: { attempt: 2, of: 4, at } };
  const waiting = foldEvent(EMPTY_CONVERSATION, { type: 'notice.raised', notice });
  const rows = (now: number): readonly string[] =>
    rowsOf(liveLines(waiting.live, { columns: 60, rows: 24, now }), 60, false);
  expect(rows(STARTED)).toEqual(['● sending again in 12 s  attempt 2 of 4, Esc ends the turn']);
  expect(rows(STARTED + 11_001)).toEqual(['● sending again in 1 s  attempt 2 of 4, Esc ends the turn']);
  expect(rows(STARTED + 13_000)).toEqual(['● sending again now  attempt 2 of 4, Esc ends the turn']);
  expect(waiting.blocks.from(0)).toMatchObject([{ lines: [[expect.anything(), ': overloaded']] }]);
  const ended = foldRecord(waiting, record('turn.ended', { outcome: 'interrupted' }));
  expect(drawn(ended)).toEqual([]);
});
