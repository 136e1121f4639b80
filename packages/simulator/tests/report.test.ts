// Tests for the report of a run, its check, the hooks for a log, and the reset.

import { defaultCatalog, findModel } from '@tidemark/model';
import { describe, expect, it, test } from 'vitest';
import { checkRun } from '../src/index.ts';
import type { LedgerCall, ReceivedCall } from '../src/index.ts';
import { capabilitiesOf, mark, refusal, send, simulate, text, user } from './conversation.ts';
import {
  userMessage,
  chatBody,
  marked,
  respond,
  responsesBody,
  simulateOpenAI,
  thousand,
} from './openai-conversation.ts';

const priced = (model: string): ReturnType<typeof capabilitiesOf> => {
  const row = capabilitiesOf(model);
  const prices = findModel(defaultCatalog(), 'claude-opus-4-5')?.prices ?? [];
  return row && { ...row, prices };
};
const AT = Date.parse('2026-11-21');

const cached = { system: [text('name'), mark(text('rules'))] };

test('the report adds up disjoint buckets, and gives the hit rate and the exact cost', () => {
  const simulator = simulate({ capabilities: priced });
  simulator.next({ at: AT });
  send(simulator, { ...cached, messages: [user('one', 'more')] });
  send(simulator, { ...cached, messages: [user('two', 'more')] });
  const report = simulator.report();
  expect(report).toMatchObject({ calls: 2, answered: 2, input: 8000, fresh: 4000, read: 2000, written: 2000 });
  expect(report.fresh + report.read + report.written).toBe(report.input);
  expect(report.hitRate).toBe('0.2500');
  // Opus 4.5 costs $5 a million fresh tokens, $0.50 read, $6.25 written for 5 minutes, and $25 of output.
  expect(report.cost).toBe(String((4000 * 5 + 2000 * 0.5 + 2000 * 6.25 + report.output * 25) / 1e6));
});

describe('`check`', () => {
  it('compares the hit rate and the cost exactly', () => {
    const simulator = simulate({ capabilities: priced });
    simulator.next({ at: AT });
    send(simulator, { ...cached, messages: [user('one', 'more')] });
    send(simulator, { ...cached, messages: [user('two', 'more')] });
    const { cost = '' } = simulator.report();
    expect(simulator.check({ minHitRate: '0.25', maxCost: cost })).toEqual([]);
    expect(simulator.check({ minHitRate: '0.250000000001' })).toEqual([
      'hit rate: 2000 of 8000 input tokens were read (0.2500), less than 0.250000000001',
    ]);
    const [problem] = simulator.check({ maxCost: '0.000000000001' });
    expect(problem).toBe(`cost: $${cost}, more than $0.000000000001`);
    expect(() => simulator.check({ minHitRate: 1.5 })).toThrow('minHitRate');
    expect(() => simulator.check({ maxCost: 'much' })).toThrow('maxCost');
  });

  it('accepts every number that is a decimal, and no other', () => {
    const simulator = simulate({ capabilities: priced });
    send(simulator, {}, { at: AT });
    expect(simulator.check({ minHitRate: 2 / 3 })).toEqual([expect.stringContaining('less than 0.6666666666666666')]);
    expect(simulator.check({ maxCost: 1e-9 })).toEqual([expect.stringMatching(/^cost: .* more than \$0\.000000001/)]);
    for (const value of [Number.NaN, -1, Infinity, 1e21])
      expect(() => simulator.check({ maxCost: value })).toThrow('maxCost');
  });

  it('fails on an unknown price with this reason, and on a hit rate without calls', () => {
    const simulator = simulate();
    expect(simulator.check({ minHitRate: 0, maxCost: 0 })).toEqual([
      'hit rate: no call was answered, but at least 0 is required',
    ]);
    send(simulator, {}, { at: AT });
    expect(simulator.check({ maxCost: 100 })).toEqual([
      'cost: unknown, because there is no price for test-model on 2026-11-21',
    ]);
  });

  it.each([
    [{ speed: 'fast' }, 'fast mode of test-model'],
    [{ inference_geo: 'us' }, 'test-model in the region us'],
  ])('has no price for %j, which the catalog does not price', (fields, reason) => {
    const simulator = simulate({ capabilities: priced });
    send(simulator, {}, { at: AT });
    expect(simulator.check({ maxCost: 100 })).toEqual([]);
    send(simulator, fields);
    expect(simulator.check({ maxCost: 100 })).toEqual([`cost: unknown, because there is no price for ${reason}`]);
  });

  it('lists steps that were not used, calls that matched nothing, and refusals, but no planned fault', () => {
    const simulator = simulate({
      scenario: {
        routes: [
          { name: 'main', match: { prompt: 'go' }, steps: [{ fault: { kind: 'overloaded' } }, {}, {}] },
          { match: { prompt: 'never' }, steps: [{}] },
        ],
      },
    });
    refusal(simulator, { messages: [user('go')] });
    send(simulator, { messages: [user('go')] });
    refusal(simulator, { messages: [user('hello')] });
    refusal(simulator, { max_tokens: 0.5 });
    expect(simulator.check()).toEqual([
      'not played: step 3 of main',
      'not played: step 1 of route 2',
      expect.stringMatching(/^call 3 matched nothing: simulator: no route matches this call/),
      expect.stringMatching(/^call 4 was refused: messages 400: max_tokens/),
    ]);
    expect(checkRun({ ...simulator.report(), unplayed: [], refused: [] })).toEqual([]);
  });
});

test('`explainMisses` names the cause of each call that read nothing', () => {
  const simulator = simulate({ explainMisses: true });
  const send1 = (fields: object, at: number): void => void send(simulator, { ...cached, ...fields }, { at });
  send1({ messages: [user('one', 'more')] }, 0);
  send1({ messages: [user('one', 'more')] }, 10);
  send1({ system: [text('name'), mark(text('other rules'))] }, 20);
  send1({ messages: [user('one', 'more')], ...cached }, 3_600_000);
  send1({ model: 'other-model' }, 3_600_001);
  send1({ model: 'other-model', system: undefined, messages: [user('alone')] }, 3_600_002);
  expect(simulator.report().misses).toEqual([
    { call: 1, model: 'test-model', cause: 'first call of this account and model' },
    { call: 3, model: 'test-model', cause: 'the system prompt changed' },
    { call: 4, model: 'test-model', cause: 'the entries expired, were evicted, or are further back than the lookback' },
    { call: 5, model: 'other-model', cause: 'first call of this account and model' },
    { call: 6, model: 'other-model', cause: 'the system prompt changed' },
  ]);
});

test('`explainMisses` ignores what is no part of the prompt: moved markers, and the attribution of Claude Code', () => {
  const expired = 'the entries expired, were evicted, or are further back than the lookback';
  const simulator = simulate({ explainMisses: true });
  const billing = (build: string): object => text(`x-anthropic-billing-header: cc_version=${build};`);
  send(
    simulator,
    { system: [billing('1'), text('name'), mark(text('rules'))], messages: [user('one', 'more')] },
    { at: 0 },
  );
  send(
    simulator,
    { system: [billing('2'), text('name'), mark(text('rules'))], messages: [user('one', 'more')] },
    { at: 3_600_000 },
  );
  const openai = simulateOpenAI({ explainMisses: true });
  const explicit = { prompt_cache_options: { mode: 'explicit' } };
  respond(openai, { ...explicit, input: [userMessage('nil'), marked('one'), userMessage('two')] }, { at: 0 });
  respond(openai, { ...explicit, input: [userMessage('nil'), userMessage('one'), marked('two')] }, { at: 86_400_000 });
  for (const one of [simulator, openai]) expect(one.report().misses[1]?.cause).toBe(expired);
});

test('the calls of all wires are counted, and the written tokens of OpenAI models without a price for writes are fresh', () => {
  const gpt = findModel(defaultCatalog(), 'gpt-5.1');
  const simulator = simulateOpenAI({ capabilities: (model) => (gpt?.model === model ? gpt : undefined) });
  const at = AT;
  simulator.responses({ body: responsesBody({ model: 'gpt-5.1' }), sizes: thousand, at });
  simulator.chat({ body: chatBody({ model: 'gpt-5.1' }), sizes: thousand, at });
  const report = simulator.report();
  expect(report).toMatchObject({ calls: 2, answered: 2, unpriced: [] });
  expect(report.fresh + report.read + report.written).toBe(report.input);
});

test('`onCall` receives each call with its bytes, and with masked headers', () => {
  const heard: [LedgerCall, ReceivedCall][] = [];
  const simulator = simulate({ onCall: (call, received) => void heard.push([call, received]) });
  const headers = { authorization: 'Bearer abc', 'x-api-key': 'abc', cookie: 'abc', 'x-team': 'red' };
  send(simulator, { messages: [user('one', 'more')] }, { headers });
  refusal(simulator, { max_tokens: 'x' }, { headers });
  expect(heard.map(([{ status }]) => status)).toEqual([200, 400]);
  const [[, received] = []] = heard;
  expect(received?.headers).toEqual({ authorization: '***', 'x-api-key': '***', cookie: '***', 'x-team': 'red' });
  expect(Buffer.from(received?.body ?? []).toString()).toContain('"one"');
});

test('`reset` starts the scenario, the queue, the caches, the ids, the clock, the ledger and the report again', () => {
  const simulator = simulate({ idSeed: 'seed', scenario: { steps: [{ answer: { text: 'one' } }] } });
  const first = send(simulator, cached, { at: 5000 });
  simulator.next({ answer: { text: 'queued' } });
  simulator.fail({ kind: 'overloaded' });
  expect([simulator.requests().length, simulator.stepsLeft]).toEqual([1, 0]);
  simulator.reset();
  expect([simulator.requests(), simulator.stepsLeft, simulator.report().calls]).toEqual([[], 1, 0]);
  const again = send(simulator, cached, { at: 5000 });
  expect(again.message).toEqual(first.message);
  expect(again.usage.cache_read_input_tokens).toBe(0);
});
