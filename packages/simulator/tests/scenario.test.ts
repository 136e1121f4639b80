// Tests for scenarios: the answers are returned in order, and a request that does not match a step is refused.

import { describe, expect, it, test } from 'vitest';
import { createSimulator, parseScenario, SimulatorError } from '../src/index.ts';
import type { Scenario, ScenarioStep } from '../src/index.ts';
import { assistant, bodyOf, call, refusal, result, send, simulate, text, tool, user } from './conversation.ts';

const SCENARIO: Scenario = {
  steps: [
    {
      expect: { lastUserText: 'fix' },
      answer: { thinking: 'hm', text: 'I look.', calls: [{ id: 'c1', name: 'look', arguments: '{"path":"a.ts"}' }] },
    },
    { expect: { toolResult: '42' }, answer: { text: 'Fixed.' } },
  ],
};

describe('a scenario', () => {
  it('answers each call with its next step', () => {
    const simulator = simulate({ scenario: SCENARIO });
    const first = send(simulator, { messages: [user('please fix it')] });
    expect(first.message).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking' },
        { type: 'text' },
        { type: 'tool_use', id: 'c1', name: 'look', input: { path: 'a.ts' } },
      ],
    });
    const back = { role: 'assistant', content: first.message['content'] };
    const second = send(simulator, { messages: [user('please fix it'), back, user(result('c1', 'line 42'))] });
    expect(second.message).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'Fixed.' }] });
    expect(simulator.stepsLeft).toBe(0);
  });

  it('reports the expected and the received text of a request that does not match, and does not use up the step', () => {
    const simulator = simulate({ scenario: SCENARIO });
    expect(refusal(simulator, { messages: [user('hello')] })).toMatchObject({
      status: 400,
      message: 'simulator: scenario step 1 of 2 expected a user text with "fix", but got "hello"',
    });
    send(simulator, { messages: [user('fix')] });
    const wrong = { messages: [user('fix'), assistant(call('c1')), user(result('c1', [text('line 41')]))] };
    expect(refusal(simulator, wrong).message).toBe(
      'simulator: scenario step 2 of 2 expected a tool result with "42", but got look: "line 41"',
    );
    expect(simulator.stepsLeft).toBe(1);
  });

  it('accepts a function as an expectation, which receives the whole request', () => {
    const check = ({
      tools,
      system,
      model,
    }: {
      tools: readonly string[];
      system: string;
      model: string;
    }): string | undefined =>
      tools.includes('look') ? undefined : `${model} got no tool to look with, and the system text ${system}`;
    const simulator = simulate({ scenario: { steps: [{ expect: { check } }] } });
    expect(refusal(simulator, { system: 'brief' }).message).toBe(
      'simulator: scenario step 1 of 1 did not accept the request: test-model got no tool to look with, and the system text brief',
    );
    expect(send(simulator, { tools: [tool('look')] }).status).toBe(200);
  });

  it('refuses a call after its last step, unless the scenario has an `otherwise` answer', () => {
    const ended = simulate({ scenario: { steps: [] } });
    expect(refusal(ended, {}).message).toBe(
      'simulator: all 0 steps of the scenario are used, but another request came, with the user text "hello"',
    );
    const going = simulate({ scenario: { steps: [], otherwise: { text: 'Enough.' } } });
    expect(send(going, {}).message).toMatchObject({ content: [{ text: 'Enough.' }] });
  });

  it('returns the same answer, without the fault of the step, to a repeated request with the same bytes', () => {
    const cut = { kind: 'cut', afterEvents: 2 } as const;
    const simulator = simulate({
      scenario: { steps: [{ answer: { text: 'One.' }, fault: cut }, { answer: { text: 'Two.' } }] },
    });
    expect(send(simulator, {}).fault).toEqual(cut);
    const again = send(simulator, {});
    expect(again).toMatchObject({ fault: undefined, message: { content: [{ text: 'One.' }] } });
    expect(send(simulator, { system: 'another' }).message).toMatchObject({ content: [{ text: 'Two.' }] });
  });

  it('uses up one step for a fault without an answer that refuses the call, and the retry gets the next step', () => {
    const simulator = simulate({
      scenario: { steps: [{ fault: { kind: 'overloaded' } }, { answer: { text: 'There.' } }] },
    });
    expect(refusal(simulator, {}).status).toBe(529);
    expect(send(simulator, {}).message).toMatchObject({ content: [{ text: 'There.' }] });
  });

  it('can refuse a call with the error text of the step, and the retry gets the next step', () => {
    const fault = { kind: 'refused', message: 'prompt is too long', status: 413 };
    const scenario = parseScenario({ steps: [{ fault }, { answer: { text: 'There.' } }] });
    const simulator = simulate({ scenario });
    expect(refusal(simulator, {})).toMatchObject({ status: 413 });
    expect(send(simulator, {}).message).toMatchObject({ content: [{ text: 'There.' }] });
  });

  test.each<[string, unknown, string]>([
    ['an unknown key', { steps: [], stpes: [] }, 'stpes'],
    ['an unknown fault', { steps: [{ fault: { kind: 'flood' } }] }, 'steps.0.fault.kind'],
    ['empty text', { steps: [{ answer: { text: '' } }] }, 'steps.0.answer.text'],
    [
      'a call id that the API refuses',
      { steps: [{ answer: { calls: [{ id: 'a|b', name: 'x', arguments: '{}' }] } }] },
      'steps.0.answer.calls.0.id',
    ],
  ])('is refused with %s, and the error contains the path of the wrong value', (_, scenario, place) => {
    const parse = (): unknown => parseScenario(scenario);
    expect(parse).toThrow(SimulatorError);
    expect(parse).toThrow(place);
  });
});

describe('an answer', () => {
  it('is a fixed text by default', () => {
    expect(send(simulate(), {}).message).toMatchObject({
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [{ type: 'text' }],
    });
  });

  it('is taken from the plan of the call, then the queue, then the hook, then the scenario', () => {
    const messageOf = (fields: { readonly message: unknown }): unknown => fields.message;
    const simulator = simulate({
      scenario: { steps: [], otherwise: { text: 'scenario' } },
      onRequest: (sent) => (sent.lastUserText === 'hook' ? { answer: { text: 'hook' } } : undefined),
    });
    simulator.next({ answer: { text: 'queue' } });
    expect(messageOf(send(simulator, {}, { answer: { text: 'call' } }))).toMatchObject({ content: [{ text: 'call' }] });
    simulator.next({ answer: { text: 'queue' } });
    expect(messageOf(send(simulator, { messages: [user('hook')] }))).toMatchObject({ content: [{ text: 'queue' }] });
    expect(messageOf(send(simulator, { messages: [user('hook')] }))).toMatchObject({ content: [{ text: 'hook' }] });
    expect(messageOf(send(simulator, {}))).toMatchObject({ content: [{ text: 'scenario' }] });
  });

  it('is cut at the output limit by bytes, and never inside a character', () => {
    const texts = (shown: string): unknown =>
      send(simulate(), { max_tokens: 2 }, { answer: { text: shown } }).answer.blocks;
    expect(texts('abcdefghijkl')).toMatchObject([{ text: 'abcdefgh' }]);
    expect(texts('ääääääää')).toMatchObject([{ text: 'ääää' }]);
    expect(texts('a€€€€€€')).toMatchObject([{ text: 'a€€' }]);
    expect(texts('abcdefg😀')).toMatchObject([{ text: 'abcdefg' }]);
  });

  it('keeps the raw text of its call arguments and its recorded number of tokens', () => {
    const blocks = [{ type: 'tool_use' as const, id: 'a', name: 'look', arguments: '{"z": 1.0, "a": 2}' }];
    const { answer, usage } = send(simulate(), { max_tokens: 1 }, { answer: { blocks, outputTokens: 77 } });
    expect(answer.blocks).toMatchObject([{ arguments: '{"z": 1.0, "a": 2}' }]);
    expect(usage.output_tokens).toBe(77);
  });
});

describe('a simulator', () => {
  it('refuses unknown options', () => {
    const misspelt = { clock: 'virtual' as const, clokc: 'virtual' };
    expect(() => createSimulator(misspelt)).toThrow('clokc');
  });

  it('throws for a call earlier than the previous one, and for a call with its own time on a real clock', () => {
    const simulator = simulate();
    send(simulator, {}, { at: 10 });
    expect(() => send(simulator, {}, { at: 9 })).toThrow('the time 9 came after a call with the time 10');
    expect(() => send(simulate({ clock: 'real' }), {}, { at: 9 })).toThrow("clock: 'virtual'");
  });

  it('can use a clock of the embedding process', () => {
    let now = 1000;
    const simulator = simulate({ clock: () => now });
    const fields = { cache_control: { type: 'ephemeral' }, messages: [user('a', 'b')] };
    send(simulator, fields);
    now += 299_999;
    expect(send(simulator, fields).usage.cache_read_input_tokens).toBe(2000);
    now += 300_000;
    expect(send(simulator, fields).usage.cache_read_input_tokens).toBe(0);
  });

  it('needs no call times on a virtual clock, because each call starts after the previous answer has begun', () => {
    const simulator = simulate();
    const fields = { cache_control: { type: 'ephemeral' }, messages: [user('a', 'b')] };
    send(simulator, fields);
    expect(send(simulator, fields).usage.cache_read_input_tokens).toBe(2000);
  });
});

describe.each([
  'Older history of this session will be replaced by a checkpoint. Write the parts that only a reader can write.',
  'Older history of this session is about to be replaced by a checkpoint. Write what only a reader can.',
])('a request for a checkpoint: %s', (QUESTION) => {
  const asked = { messages: [user(QUESTION)] };
  const steps: readonly ScenarioStep[] = [{ answer: { text: 'One.' } }, { answer: { text: 'Two.' } }];

  it('is refused if the scenario has no answer to such a request, and uses up no step', () => {
    const simulator = simulate({ scenario: { steps } });
    expect(refusal(simulator, asked)).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^simulator: no answer is scripted for the question for a checkpoint/),
    });
    expect(send(simulator, { messages: [user('Go.')] }).message).toMatchObject({ content: [{ text: 'One.' }] });
  });

  it('is refused without a scenario, while a request with any other text is answered', () => {
    const simulator = simulate({});
    expect(refusal(simulator, asked)).toMatchObject({ status: 400 });
    expect(send(simulator, { messages: [user('Go.')] }).message).toMatchObject({ stop_reason: 'end_turn' });
  });

  it('gets the `checkpoint` answer of the scenario each time, and uses up no step', () => {
    const simulator = simulate({ scenario: parseScenario({ steps, checkpoint: { text: '{"tasks":[]}' } }) });
    for (const again of [asked, { messages: [user('Go.'), assistant(text('One.')), user(QUESTION)] }])
      expect(send(simulator, again).message).toMatchObject({ content: [{ text: '{"tasks":[]}' }] });
    expect(simulator.stepsLeft).toBe(2);
  });

  it('uses up a step that expects the text of the checkpoint question', () => {
    const scenario = { steps: [{ expect: { lastUserText: 'replaced by a checkpoint' }, answer: { text: 'Read.' } }] };
    const simulator = simulate({ scenario });
    expect(send(simulator, asked).message).toMatchObject({ content: [{ text: 'Read.' }] });
    expect(simulator.stepsLeft).toBe(0);
  });

  it('does not use up a step that expects only text before the checkpoint question', () => {
    const scenario = { steps: [{ expect: { lastUserText: 'Go' }, answer: { text: 'One.' } }] };
    const simulator = simulate({ scenario });
    expect(refusal(simulator, { messages: [user(text('Go.'), text(QUESTION))] })).toMatchObject({ status: 400 });
    expect(simulator.stepsLeft).toBe(1);
  });
});

it('only the request of the last used step is a retry, also if this step has no answer', () => {
  const steps = [
    { answer: { text: 'one' } },
    { fault: { kind: 'overloaded' as const } },
    { answer: { text: 'three' } },
  ];
  const simulator = simulate({ scenario: { steps } });
  const told = (words: string): unknown => {
    const outcome = simulator.messages({ body: bodyOf({ messages: [user(words)] }) });
    return outcome.outcome === 'refused' ? outcome.status : outcome.answer.blocks;
  };
  expect(told('a')).toMatchObject([{ text: 'one' }]);
  expect(told('b')).toBe(529);
  expect(told('a')).toMatchObject([{ text: 'three' }]);
});
