// Tests which tokens count as never sent, in addition to appended text. These are the omission notice of a result when
// it is first shown shortened, and thinking that was not sent to another model.

import { slice } from '@tidemark/context';
import type { AnswerPart, Event } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Change, Small } from '../../tests/small-session.ts';
import { begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { recordAnswer } from './answer.ts';
import type { Prepared } from './prepare.ts';

async function answered(small: Small, prepared: Prepared, parts: readonly AnswerPart[]): Promise<void> {
  const { read, write, fresh } = prepared.outlook.forecast;
  const usage = { read, fresh, writes: [{ ttl: '5m', tokens: write } as const], answer: 5 };
  const stop = parts.some(({ type }) => type === 'call') ? 'calls' : 'end';
  await recordAnswer(small.session, prepared, { parts, stop, truncated: 'no', usage }, second(0));
}

async function turn(small: Small, change: Change, parts: readonly AnswerPart[]): Promise<Prepared> {
  await commit(small.session, [prompt('go on')]);
  const prepared = await prepare(small, 0, change);
  await answered(small, prepared, parts);
  return prepared;
}

const text = (words: string): AnswerPart => ({ type: 'text', text: words });
const unsentOf = ({ outlook }: Prepared): number => outlook.forecast.unsent;

function tokensFrom({ sequence }: Prepared, at: number): number {
  const blocks = slice(sequence.blocks).filter(({ origin }) => origin.from === 'event' && origin.position === at);
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

/**
 * Creates a session with one long result that was sent whole. With `kept`, the result is then shortened to that number
 * of characters.
 */
async function shortenedTo(kept: number | undefined): Promise<{ readonly small: Small; readonly at: number }> {
  const small = await begin();
  await commit(small.session, [prompt('go')]);
  const call = callId('c1');
  await answered(small, await prepare(small), [{ type: 'call', call, name: 'read', arguments: '{}' }]);
  const at = small.session.state.length;
  const parts = [{ type: 'text', text: 'word '.repeat(4_000) } as const];
  await commit(small.session, [{ kind: 'tool.returned', at: second(0), data: { call, parts } }]);
  await answered(small, await prepare(small), [text('seen')]);
  const results = [{ position: position(at), kept: kept ?? 0 }];
  const data = { calls: [call], results, freed: 1, cause: 'test' };
  const pruned: Event = { kind: 'history.pruned', at: second(0), data };
  await commit(small.session, [...(kept === undefined ? [] : [pruned]), prompt('and now?')]);
  return { small, at };
}

test('the notice in a shortened result counts as never sent, but only once', async () => {
  const whole = await shortenedTo(undefined);
  const short = await shortenedTo(8_000);
  const before = unsentOf(await prepare(whole.small));
  const prepared = await prepare(short.small);
  expect(prepared.opened?.data.cause).toBe('pruning');
  expect(tokensFrom(prepared, short.at)).toBeGreaterThan(1_000);
  // The beginning that is still shown was sent before. Only the notice about the omitted text is new.
  const tokens = unsentOf(prepared) - before;
  expect(tokens).toBeGreaterThan(20);
  expect(tokens).toBeLessThan(80);
  // No request with the notice has an answer yet, so the next attempt counts the notice again. After an answer it no
  // longer counts.
  expect(unsentOf(await prepare(short.small))).toBe(before + tokens);
  await answered(short.small, await prepare(short.small), [text('seen')]);
  await commit(short.small.session, [prompt('and now?')]);
  expect(unsentOf(await prepare(short.small))).toBeLessThan(before + tokens);
});

/**
 * `THINKER` is the model that produces thinking. `OTHER` is the model that answers in between, and its requests do not
 * contain that thinking.
 */
const THINKER: Change = { model: 'claude-opus-5-5' };
const OTHER: Change = { model: 'claude-sonnet-4-5' };

/**
 * Switches away from `THINKER` and back, two times. Returns two numbers in this order: for the first request after each
 * switch back, the tokens that were never sent before. `thought` is the number of words that `THINKER` thought in its
 * one answer with reasoning.
 */
async function backAgain(thought: number): Promise<readonly [first: number, later: number]> {
  const small = await begin();
  await turn(small, THINKER, [text('hello')]);
  const reasoning: AnswerPart = { type: 'reasoning', opaque: 'hm '.repeat(thought), text: '' };
  await turn(small, THINKER, [reasoning, text('I thought.')]);
  await turn(small, OTHER, [text('I did not.')]);
  const first = unsentOf(await turn(small, THINKER, [text('I am back.')]));
  await turn(small, OTHER, [text('Me too.')]);
  return [first, unsentOf(await turn(small, THINKER, [text('Once more.')]))];
}

test('thinking that was not sent to another model counts as never sent after the first switch back, but not after the second', async () => {
  const [[none, later], [much, laterToo]] = [await backAgain(1), await backAgain(3_000)];
  expect(much - none).toBeGreaterThan(2_000);
  expect(Math.abs(laterToo - later)).toBeLessThan(200);
});
