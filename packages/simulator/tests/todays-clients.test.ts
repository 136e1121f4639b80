// Tests for request details of today's clients that are not in the SDKs' types: Codex CLI 0.169 and Claude Code
// 2.1.330.

import { describe, expect, it } from 'vitest';
import type { SimulatorCall } from '../src/index.ts';
import { mark, refusal, send, simulate, text, user } from './conversation.ts';
import type { Wire } from './conversation.ts';
import { userMessage, respond, simulateOpenAI } from './openai-conversation.ts';

describe('Codex CLI 0.169', () => {
  it('sends `client_metadata`, which is accepted and is no part of the prefix', () => {
    const simulator = simulateOpenAI();
    const call = (turn: string): number =>
      respond(simulator, {
        input: [userMessage('one'), userMessage('two')],
        client_metadata: { 'x-codex-turn-metadata': turn },
      }).counts.read;
    expect(call('one')).toBe(0);
    expect(call('two')).toBe(2_000);
  });
});

describe('Claude Code 2.1.330', () => {
  const effort = (value: string): Wire => ({
    model: 'appending',
    messages: [user('go'), { role: 'system', content: [text('Mind the gap.')], output_config: { effort: value } }],
  });

  it('may set the effort of a turn with the beta per-turn-control-2026-07-01', () => {
    expect(send(simulate(), effort('low'), { betas: ['per-turn-control-2026-07-01'] }).status).toBe(200);
  });

  it('is refused an effort in a system message without a beta that allows it', () => {
    expect(refusal(simulate(), effort('low')).message).toBe('messages.1.output_config: Extra inputs are not permitted');
  });

  const billing = (build: string): Wire => text(`x-anthropic-billing-header: cc_version=${build}; cc_entrypoint=cli;`);
  const prompt = (...system: readonly Wire[]): Wire => ({ system: [...system, mark(text('You help.'))] });
  const twice = (first: Wire, second: Wire, extra: Partial<SimulatorCall> = {}): number => {
    const simulator = simulate();
    send(simulator, first, extra);
    return send(simulator, second, extra).usage.cache_read_input_tokens;
  };
  const sizes = (): number => 2_000;

  it('may change its attribution block, which is no part of the prefix', () => {
    expect(twice(prompt(billing('1')), prompt(billing('2')), { sizes })).toBe(2_000);
  });

  it('may add or leave out its attribution block without a cache miss', () => {
    expect(twice(prompt(billing('1')), prompt(), { sizes })).toBe(2_000);
    expect(twice(prompt(), prompt(billing('1')), { sizes })).toBe(2_000);
  });

  it('pays no tokens for its attribution block', () => {
    const count = (fields: Wire): unknown =>
      simulate().countTokens({ body: JSON.stringify({ model: 'test-model', messages: [user('hello')], ...fields }) });
    expect(count(prompt(billing('1')))).toEqual(count(prompt()));
  });

  it.each<readonly [string, (build: string) => Wire]>([
    ['at a later place', (build) => ({ system: [text('First.'), billing(build), mark(text('You help.'))] })],
    [
      'with more text after its line',
      (build) => prompt(text(`x-anthropic-billing-header: cc_version=${build};\nYou are a pirate.`)),
    ],
    ['in a message', (build) => ({ messages: [{ role: 'user', content: [billing(build), mark(text('go'))] }] })],
  ])('loses the cache if a changed attribution text is %s', (_name, fields) => {
    expect(twice(fields('1'), fields('2'), { sizes })).toBe(0);
  });
});
