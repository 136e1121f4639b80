// Tests for scenarios with calls to OpenAI's APIs. The expectations and the error texts are the same as for Messages
// calls.

import { describe, expect, it } from 'vitest';
import {
  userMessage,
  called,
  chat,
  output,
  refused,
  respond,
  assistantMessage,
  simulateOpenAI,
} from './openai-conversation.ts';

describe('a scenario', () => {
  const steps = [
    {
      expect: { lastUserText: 'fix' },
      answer: { text: 'I look.', calls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
    },
    { expect: { toolResult: '42' }, answer: { text: 'Fixed.' } },
  ];

  it('matches a Responses call with the same expectations as a Messages call', () => {
    const simulator = simulateOpenAI({ scenario: { steps } });
    expect(refused(simulator, {}).message).toBe(
      'simulator: scenario step 1 of 2 expected a user text with "fix", but got "hello"',
    );
    const first = respond(simulator, { input: [userMessage('please fix it')] });
    expect(first.body['output']).toMatchObject([{ type: 'message' }, { type: 'function_call', call_id: 'c1' }]);
    const back = [userMessage('please fix it'), assistantMessage('I look.'), called('c1')];
    expect(refused(simulator, { input: [...back, output('c1', 'line 41')] }).message).toBe(
      'simulator: scenario step 2 of 2 expected a tool result with "42", but got look: "line 41"',
    );
    respond(simulator, { input: [...back, output('c1', 'line 42')] });
    expect(simulator.stepsLeft).toBe(0);
  });

  it('matches a Chat call with the same expectations as a Messages call', () => {
    const seen: unknown[] = [];
    const simulator = simulateOpenAI({
      scenario: { steps },
      onRequest: (sent) => void seen.push([sent.system, sent.tools, sent.lastUserText, sent.toolResults]),
    });
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const opening = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: [{ type: 'text', text: 'fix' }] },
    ];
    chat(simulator, { tools, messages: opening });
    const calls = [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }];
    const rest = [
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
    ];
    chat(simulator, { tools, messages: [...opening, ...rest] });
    expect(seen.at(-1)).toEqual(['rules', ['look'], 'fix', [{ id: 'c1', name: 'look', text: '42', error: false }]]);
    expect(simulator.stepsLeft).toBe(0);
  });
});
