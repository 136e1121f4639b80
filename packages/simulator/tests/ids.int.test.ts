// Tests for the ids of messages, responses, calls and requests: they do not repeat between simulators, and a seed makes
// them reproducible.

import { describe, expect, it } from 'vitest';
import type { Simulator, SimulatorOptions } from '../src/index.ts';
import { bodyOf, thinking, tool } from './conversation.ts';
import { chatBody, responsesBody, simulateOpenAI } from './openai-conversation.ts';

const ANSWER = { thinking: 'hm', text: 'I look.', calls: [{ name: 'look', arguments: {} }] };
const LOOK = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };

/** Returns every id and every sealed text in a value, at any depth. */
function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    ['id', 'call_id', 'signature', 'encrypted_content'].includes(key) ? [String(inner)] : idsIn(inner),
  );
}

/** Sends two calls on each wire, in process. Returns all ids of the answers. */
function playCalls(simulator: Simulator): readonly string[] {
  const bodies: unknown[] = [];
  for (let round = 0; round < 2; round += 1) {
    const message = simulator.messages({
      body: bodyOf({ model: 'claude-test', tools: [tool('look')] }),
      answer: ANSWER,
    });
    const response = simulator.responses({ body: responsesBody({}), answer: ANSWER });
    const chat = simulator.chat({ body: chatBody({ tools: [LOOK] }), answer: ANSWER });
    const routed = simulator.chat({ body: chatBody({ tools: [LOOK] }), answer: ANSWER, service: 'openrouter' });
    bodies.push('message' in message ? message['message'] : message);
    for (const each of [response, chat, routed]) bodies.push('body' in each ? each.body : each);
  }
  return bodies.flatMap(idsIn);
}

describe('ids', () => {
  it('have the form of the provider and do not repeat within a simulator', () => {
    const ids = playCalls(simulateOpenAI());
    // Per round: a message with a call and a signature (3), a response with three items, a call id and a seal (6), and
    // two completions with a call each (4).
    expect(ids.length).toBe(2 * 13);
    expect(new Set(ids).size).toBe(ids.length);
    const begins = new Set(ids.map((id) => /^[a-z]+[_-]|^Sim|^gAAAAAB/.exec(id)?.[0]));
    expect(begins).toEqual(
      new Set(['msg_', 'Sim', 'toolu_', 'resp_', 'rs_', 'gAAAAAB', 'fc_', 'call_', 'chatcmpl-', 'gen-']),
    );
  });

  it('do not repeat between two simulators', () => {
    const [one, two] = [playCalls(simulateOpenAI()), playCalls(simulateOpenAI())];
    expect(two.length).toBe(one.length);
    expect(new Set([...one, ...two]).size).toBe(one.length + two.length);
  });

  it('are the same for two simulators with the same seed, and others for another seed', () => {
    const ids = (idSeed: string): readonly string[] => playCalls(simulateOpenAI({ idSeed }));
    expect(ids('a')).toEqual(ids('a'));
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(2 * ids('a').length);
  });

  it('from a script stay as they are', () => {
    const answer = { calls: [{ id: 'call_mine', name: 'look', arguments: {} }] };
    const reply = simulateOpenAI().messages({ body: bodyOf({ model: 'claude-test', tools: [tool('look')] }), answer });
    expect(idsIn('message' in reply ? reply.message : reply)).toContain('call_mine');
  });

  it('of one simulator are unknown to the next one, so its thinking is refused there', () => {
    const first = simulateOpenAI().messages({ body: bodyOf({ model: 'claude-test' }), answer: ANSWER });
    const [signature = ''] = idsIn('message' in first ? first.message : first).filter((id) => id.startsWith('Sim'));
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [thinking('hm', signature), { type: 'text', text: 'I look.' }] },
      { role: 'user', content: 'and?' },
    ];
    const reply = simulateOpenAI().messages({ body: bodyOf({ model: 'claude-test', messages }) });
    expect(reply).toMatchObject({ outcome: 'refused', status: 400 });
  });

  it('of requests do not repeat between calls, listeners and simulators, and follow the seed', async () => {
    const all = [...(await requestIds({})), ...(await requestIds({})), ...(await requestIds({ idSeed: 'a' }))];
    expect(all.every((id) => /^req_[A-Za-z0-9]{24}$/.test(id))).toBe(true);
    expect(new Set(all).size).toBe(3 * 4);
    expect(await requestIds({ idSeed: 'a' })).toEqual(all.slice(8));
  });
});

/** Returns the request ids of two requests to each of two listeners of one simulator. */
async function requestIds(options: SimulatorOptions): Promise<readonly string[]> {
  const simulator = simulateOpenAI(options);
  const ids: string[] = [];
  for (let listener = 0; listener < 2; listener += 1) {
    const server = await simulator.listen();
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      const reply = await fetch(`${server.url}${path}`, { method: 'POST', body: '{}' });
      ids.push(reply.headers.get('request-id') ?? reply.headers.get('x-request-id') ?? 'none');
    }
    await server.close();
  }
  return ids;
}
