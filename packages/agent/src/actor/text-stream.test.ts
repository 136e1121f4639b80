// `Turn.textStream`: the text of a turn's answers as it arrives.

import type { AnswerPart } from '@tidemark/log';
import type { Provider, StreamPart } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { answering, calls, failure, goLive, hanging, inTurn, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { SessionEvent } from '../ports/session-event.ts';

const text = (words: string): AnswerPart => ({ type: 'text', text: words });
const look = made('look', () => ({ text: 'seen' }));

describe('`textStream` of a turn', () => {
  test('emits the text of each answer, without reasoning and arguments of tools', async () => {
    const [call] = calls(['c1', 'look', '{"for":"a lamp"}']).parts;
    const first = [{ type: 'reasoning', text: 'hm' } as const, text('I look.'), ...(call ? [call] : [])];
    const { live } = await goLive({ provider: answering({ parts: first }, says('done')), runtime: { tools: [look] } });
    const turn = live.prompt('go');
    expect(await Array.fromAsync(turn.textStream)).toEqual(['I look.', '\n\n', 'done']);
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'done' });
  });

  test('emits a piece before the turn ends', async () => {
    const { live } = await goLive({ provider: hanging([{ type: 'text.delta', index: 0, text: 'Well' }]) });
    const turn = live.prompt('go');
    const pieces = turn.textStream[Symbol.asyncIterator]();
    expect(await pieces.next()).toEqual({ done: false, value: 'Well' });
    expect(live.running).toBe(true);
    await live.interrupt();
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
    expect(await turn).toMatchObject({ outcome: 'interrupted' });
  });

  test('can be read after the end of the turn, and more than once', async () => {
    const { live } = await goLive({ provider: answering(says('done')) });
    const turn = live.prompt('go');
    await turn;
    expect(await Array.fromAsync(turn.textStream)).toEqual(['done']);
    expect(await Array.fromAsync(turn.textStream)).toEqual(['done']);
  });

  test('ends if the turn fails, and the awaited turn has the outcome', async () => {
    const bad = says('', { fault: { after: 0, error: failure({ class: 'refused', code: 'provider/invalid' }) } });
    const { live } = await goLive({ provider: answering(bad) });
    const turn = live.prompt('go');
    expect(await Array.fromAsync(turn.textStream)).toEqual([]);
    expect(await turn).toMatchObject({ outcome: 'failed', error: { code: 'provider/invalid' } });
  });

  test('throws the error of a turn that rejects, as the iteration of the turn does', async () => {
    const { live } = await goLive({ provider: inTurn() });
    const turn = live.prompt('go');
    await expect(Array.fromAsync(turn.textStream)).rejects.toMatchObject({ code: 'agent/broken' });
    await expect(Array.fromAsync(turn)).rejects.toMatchObject({ code: 'agent/broken' });
  });

  test('does not repeat the text of an attempt that was cut off', async () => {
    const cut = says('The lamp', { fault: { after: 2, error: failure({ code: 'provider/cut' }) } });
    const { live, pass } = await goLive({ provider: answering(cut, says('The lamp is blue.')) });
    const turn = live.prompt('go');
    void passPauses(turn, pass);
    expect(await Array.fromAsync(turn.textStream)).toEqual(['The lamp', ' is blue.']);
    expect(await turn).toMatchObject({ outcome: 'completed', text: 'The lamp is blue.' });
  });

  test('does not contain the text of a side call', async () => {
    const { live } = await goLive({ provider: answering(says('done'), says('A title')) });
    const turn = live.prompt('go');
    await turn;
    await live.side({ purpose: 'title', prompt: 'Name it.' });
    expect(await Array.fromAsync(turn.textStream)).toEqual(['done']);
  });
});

describe('the text of a turn', () => {
  test.each<[string, readonly (readonly string[])[], readonly string[]]>([
    ['of one attempt', [['a', 'b']], ['a', 'b']],
    ['of a repeated attempt with the same beginning', [['ab'], ['a', 'bc']], ['ab', 'c']],
    ['of two attempts that were cut off', [['abc'], ['a'], ['abcd']], ['abc', 'd']],
    ['of an attempt that differs', [['ab'], ['a', 'x', 'y']], ['ab', '\n\n', 'ax', 'y']],
    ['of an attempt that is shorter', [['ab'], ['a']], ['ab', '\n\n', 'a']],
  ])('%s is emitted once', async (_case, attempts, emitted) => {
    const fault = failure({ code: 'provider/cut' });
    const answers = attempts.map((pieces, index) => ({
      parts: pieces.map(text),
      // Each text is sent as two stream parts. The stream begins with the part `began`.
      ...(index < attempts.length - 1 && { fault: { after: 1 + 2 * pieces.length, error: fault } }),
    }));
    const { live, pass } = await goLive({ provider: answering(...answers) });
    const turn = live.prompt('go');
    void passPauses(turn, pass);
    expect(await Array.fromAsync(turn.textStream)).toEqual(emitted);
    expect(await turn).toMatchObject({ outcome: 'completed', text: attempts.at(-1)?.join('') });
  });

  test.each([
    [[], ['whole']],
    [['wh'], ['wh', 'ole']],
  ])('of a provider that streams only %j of it is completed at its end', async (streamed, emitted) => {
    const answer = { parts: [text('whole')], stop: 'end', truncated: 'no', usage: {} } as const;
    const deltas = streamed.map((piece) => ({ type: 'text.delta', index: 0, text: piece }) as const);
    const provider = finishing([...deltas, { type: 'finished', answer }]);
    const { live } = await goLive({ provider });
    expect(await Array.fromAsync(live.prompt('go').textStream)).toEqual(emitted);
  });
});

/** Creates a provider that streams these parts. */
function finishing(parts: readonly StreamPart[]): Provider {
  return {
    ...answering(),
    async *send() {
      yield* parts;
    },
  };
}

/** Ends each pause between two attempts. */
async function passPauses(turn: AsyncIterable<SessionEvent>, pass: (ms: number) => void): Promise<void> {
  for await (const { type } of turn) if (type === 'notice.raised') pass(60_000);
}
