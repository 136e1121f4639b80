// What of a request was never sent before, beside what was appended: results that are shown short for the first time, and
// thinking that another model was not shown.

import { slice } from '@tidemark/context';
import type { AnswerPart, Event } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Change, Small } from '../../tests/small-session.ts';
import { begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { recordAnswer } from './answer.ts';
import type { Prepared } from './prepare.ts';

/** Answers with these parts, counted as it was forecast. */
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

/** Tokens of the blocks that a request holds of one record. */
function tokensFrom({ sequence }: Prepared, at: number): number {
  const blocks = slice(sequence.blocks).filter(({ origin }) => origin.from === 'event' && origin.position === at);
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** One long result that was sent whole; it is shortened to so many characters, or not. What the next request was not sent before. */
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

test('the words that stand for the rest of a shortened result count as never sent, once', async () => {
  const whole = await shortenedTo(undefined);
  const short = await shortenedTo(8_000);
  const before = unsentOf(await prepare(whole.small));
  const prepared = await prepare(short.small);
  expect(prepared.opened?.data.cause).toBe('pruning');
  expect(tokensFrom(prepared, short.at)).toBeGreaterThan(1_000);
  // The beginning that is still shown was sent before: new are the words that stand for the rest.
  const tokens = unsentOf(prepared) - before;
  expect(tokens).toBeGreaterThan(20);
  expect(tokens).toBeLessThan(80);
  // Nobody was sent it: the next try counts it as well. Then somebody was.
  expect(unsentOf(await prepare(short.small))).toBe(before + tokens);
  await answered(short.small, await prepare(short.small), [text('seen')]);
  await commit(short.small.session, [prompt('and now?')]);
  expect(unsentOf(await prepare(short.small))).toBeLessThan(before + tokens);
});

/** Who thinks, who goes on without having been shown that, and who thought once more. */
const THINKER: Change = { model: 'claude-opus-5-5' };
const OTHER: Change = { model: 'claude-sonnet-4-5' };

/** What a request back at the thinker's was not sent before, behind one answer that thought so much. */
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

test('thinking that another model was not shown is sent for the first time after the switch back, and then it was', async () => {
  const [[none, later], [much, laterToo]] = [await backAgain(1), await backAgain(3_000)];
  expect(much - none).toBeGreaterThan(2_000);
  expect(Math.abs(laterToo - later)).toBeLessThan(200);
});
