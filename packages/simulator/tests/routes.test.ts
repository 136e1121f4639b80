// Tests for scenarios with routes: the first route whose conditions a call meets answers it.

import { describe, expect, it, test } from 'vitest';
import { createSimulator, defineScenario, parseScenario, SimulatorError } from '../src/index.ts';
import type { RouteMatch, Scenario, ScenarioRoute } from '../src/index.ts';
import { globMatches } from '../src/core/route-match.ts';
import { call, assistant, refusal, result, send, simulate, text, tool, user } from './conversation.ts';
import type { Wire } from './conversation.ts';
import { chatBody, responsesBody, simulateOpenAI } from './openai-conversation.ts';

/** Scenario with one route that answers "yes", and "no" for all other calls. */
function only(match: RouteMatch): Scenario {
  return { routes: [{ match, steps: [{ answer: { text: 'yes' } }], repeat: true }], otherwise: { text: 'no' } };
}

function answer(scenario: Scenario, fields: Wire, headers: Readonly<Record<string, string>> = {}): unknown {
  return send(simulate({ scenario }), fields, { headers }).message['content'];
}

const YES = [{ type: 'text', text: 'yes' }];
const NO = [{ type: 'text', text: 'no' }];

const looked = { messages: [user('look'), assistant(call('c1')), user(result('c1', 'line 42'))] };

test.each<[string, RouteMatch, Wire, Wire]>([
  ['model', { model: 'other-model' }, { model: 'other-model' }, { model: 'test-model' }],
  ['model with *', { model: 'bound-*' }, { model: 'bound-sister' }, { model: 'test-model' }],
  ['system', { system: 'titles' }, { system: [text('You write titles.')] }, { system: [text('You code.')] }],
  ['list of texts', { system: ['a1', 'b2'] }, { system: [text('b2 a1')] }, { system: [text('a1')] }],
  ['equals', { prompt: { equals: 'hello' } }, {}, { messages: [user('hello there')] }],
  ['matches', { prompt: { matches: '^FIX \\d+$', flags: 'i' } }, { messages: [user('fix 12')] }, {}],
  ['toolResult', { toolResult: '42' }, looked, {}],
  ['tools', { tools: ['look'] }, { tools: [tool('look'), tool('run')] }, { tools: [tool('run')] }],
  ['tools.none', { tools: { none: ['run'] } }, { tools: [tool('look')] }, { tools: [tool('look'), tool('run')] }],
  ['predicate', { predicate: ({ body }) => body['max_tokens'] === 7 }, { max_tokens: 7 }, {}],
])('the condition %s selects a call', (_, match, fits, other) => {
  expect(answer(only(match), fits)).toEqual(YES);
  expect(answer(only(match), other)).toEqual(NO);
});

test.each([
  ['a*b*b', 'ab', false],
  ['a*b*b', 'abb', true],
  ['*b*', 'abc', true],
  ['a*', 'a', true],
  ['a', 'ab', false],
  ['**', '', true],
  ['ab*ba', 'aba', false],
])('the model pattern %s and the model %s: %s', (pattern, model, expected) => {
  expect(globMatches(pattern, model)).toBe(expected);
});

test('the condition `header` selects a call by a header, or by its absence, in any case of its name', () => {
  expect(answer(only({ header: { 'X-Team': 'red' } }), {}, { 'x-team': 'dark red' })).toEqual(YES);
  expect(answer(only({ header: { 'X-Team': 'red' } }), {}, { 'x-team': 'blue' })).toEqual(NO);
  expect(answer(only({ header: { 'x-team': null, constructor: null } }), {})).toEqual(YES);
  expect(answer(only({ header: { 'x-team': null } }), {}, { 'x-team': 'red' })).toEqual(NO);
});

test('the condition `wire` distinguishes the providers', () => {
  const simulator = simulateOpenAI({
    scenario: {
      routes: [
        { match: { wire: 'openrouter' }, steps: [{ answer: { text: 'router' } }] },
        { match: { wire: 'openai' }, steps: [{ answer: { text: 'openai' } }], repeat: true },
      ],
    },
  });
  simulator.chat({ body: chatBody({}), service: 'openrouter' });
  simulator.chat({ body: chatBody({}) });
  simulator.responses({ body: responsesBody({}) });
  expect(simulator.calls.map(({ wire, route, step }) => [wire, route, step])).toEqual([
    ['openrouter', 'route 1', 1],
    ['openai', 'route 2', 1],
    ['openai', 'route 2', 1],
  ]);
});

test('`call` counts the calls of the run, and `routeCall` those that reach the route and meet its other conditions', () => {
  const simulator = simulate({
    scenario: {
      routes: [
        { name: 'third', match: { call: 3 }, steps: [{ answer: { text: 'third of all' } }] },
        { name: 'retry', match: { prompt: 'go', routeCall: 2 }, steps: [{ answer: { text: 'second go' } }] },
        { name: 'rest', steps: [{ answer: { text: 'rest' } }], repeat: true },
      ],
    },
  });
  for (const words of ['go', 'stop', 'go', 'go']) send(simulator, { messages: [user(words)] });
  expect(simulator.calls.map(({ route }) => route)).toEqual(['rest', 'rest', 'third', 'retry']);
});

describe('the routes of a scenario', () => {
  it('each have their own steps, so two agents at the same time cannot take each other’s answers', () => {
    const simulator = simulate({
      scenario: {
        routes: [
          { name: 'a', match: { prompt: 'A' }, steps: [{ answer: { text: 'a1' } }, { answer: { text: 'a2' } }] },
          { name: 'b', match: { prompt: 'B' }, steps: [{ answer: { text: 'b1' } }, { answer: { text: 'b2' } }] },
        ],
      },
    });
    const texts = ['B 1', 'A 1', 'A 2', 'B 2'].map(
      (words) => send(simulator, { messages: [user(words)] }).answer.blocks,
    );
    expect(texts).toEqual(['b1', 'a1', 'a2', 'b2'].map((words) => [{ type: 'text', text: words }]));
    expect(simulator.stepsLeft).toBe(0);
  });

  it('refuse a call that matches none with a 400 that names each route and the condition that it lacks', () => {
    const simulator = simulate({
      scenario: {
        routes: [
          { name: 'titles', match: { system: 'titles' }, steps: [{}] },
          { match: { model: 'gpt-*' }, steps: [{}] },
          { name: 'team', match: { header: { 'x-team': 'red' } }, steps: [{}] },
        ],
      },
    });
    expect(refusal(simulator, {}, { headers: { 'x-team': 'a-secret' } })).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message:
        'simulator: no route matches this call. titles: system does not contain "titles"; ' +
        'route 2: model is "test-model", not "gpt-*"; team: header "x-team" does not contain "red"',
    });
    expect(simulator.calls[0]).toMatchObject({ cause: 'unmatched' });
  });

  it('refuse a call whose route has no step left, and answer a retry with the same bytes again', () => {
    const simulator = simulate({
      scenario: { routes: [{ name: 'main', match: { prompt: 'go' }, steps: [{ answer: { text: 'once' } }] }] },
    });
    send(simulator, { messages: [user('go')] });
    expect(send(simulator, { messages: [user('go')] }).answer.blocks).toEqual([{ type: 'text', text: 'once' }]);
    expect(refusal(simulator, { messages: [user('go on')] }).message).toBe(
      'simulator: all 1 steps of main are used, but another call matches it',
    );
  });

  it('begin again with `repeat`, and keep the faults and the conditions of their steps', () => {
    const simulator = simulate({
      scenario: {
        routes: [
          {
            name: 'main',
            steps: [{ fault: { kind: 'overloaded' } }, { expect: { lastUserText: 'go' }, answer: { text: 'went' } }],
            repeat: true,
          },
        ],
      },
    });
    expect(refusal(simulator, {})).toMatchObject({ status: 529 });
    expect(refusal(simulator, {}).message).toContain('route "main" step 2 of 2 expected a user text with "go"');
    send(simulator, { messages: [user('go')] });
    expect(refusal(simulator, {})).toMatchObject({ status: 529 });
    expect(simulator.calls.map(({ step, cause }) => [step, cause])).toEqual([
      [1, 'fault'],
      [undefined, 'unmatched'],
      [2, undefined],
      [1, 'fault'],
    ]);
  });

  it('answer the question for a checkpoint from `checkpoint`, unless a route names it', () => {
    const question = { messages: [user('Older history of this session will be replaced by a checkpoint. Write.')] };
    const checkpoint = { text: 'the checkpoint' };
    const rest = { steps: [{ answer: { text: 'rest' } }] };
    const blocks = (routes: readonly ScenarioRoute[]): unknown =>
      send(simulate({ scenario: { routes, checkpoint } }), question).answer.blocks;
    expect(blocks([rest])).toEqual([{ type: 'text', text: 'the checkpoint' }]);
    const own = { match: { prompt: 'Older history' }, steps: [{ answer: { text: 'own' } }] };
    expect(blocks([own, rest])).toEqual([{ type: 'text', text: 'own' }]);
  });
});

test('a regular expression that needs exponential time ends after a limit, and the call matches another route', () => {
  const slow = { matches: '^(a+)+$' };
  const simulator = simulate({ scenario: { routes: [{ name: 'slow', match: { prompt: slow }, steps: [{}] }] } });
  const words = `${'a'.repeat(60)}!`;
  expect(refusal(simulator, { messages: [user(words)] }).message).toContain(
    'slow: prompt took more than 250 ms to compare with /^(a+)+$/',
  );
});

test.each<[string, unknown, string]>([
  ['no route', { routes: [] }, 'routes: '],
  ['a route without steps', { routes: [{ steps: [] }] }, 'routes.0.steps: '],
  ['an unknown condition', { routes: [{ match: { modle: 'x' }, steps: [{}] }] }, 'routes.0.match: '],
  ['a broken pattern', { routes: [{ match: { system: { matches: '(' } }, steps: [{}] }] }, 'routes.0.match.system'],
  [
    'a long pattern',
    { routes: [{ match: { system: { matches: 'a'.repeat(501) } }, steps: [{}] }] },
    'routes.0.match.system',
  ],
  ['call 0', { routes: [{ match: { call: 0 }, steps: [{}] }] }, 'routes.0.match.call: '],
  [
    'two routes with one name',
    {
      routes: [
        { name: 'a', steps: [{}] },
        { name: 'a', steps: [{}] },
      ],
    },
    'routes.1: ',
  ],
  ['steps next to routes', { steps: [], routes: [{ steps: [{}] }] }, 'use either steps or routes'],
  ['a predicate in a file', { routes: [{ match: { predicate: 'x' }, steps: [{}] }] }, 'routes.0.match.predicate'],
])('a scenario with %s is refused with the path and the reason', (_, scenario, problem) => {
  try {
    parseScenario(scenario);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(SimulatorError);
    expect(error).toMatchObject({ code: 'simulator/bad-scenario', message: expect.stringContaining(problem) });
  }
});

test('`defineScenario` returns a checked scenario for `createSimulator`', () => {
  const scenario = defineScenario({ routes: [{ match: { model: 'claude-*' }, steps: [{ answer: { text: 'hi' } }] }] });
  expect(createSimulator({ scenario }).stepsLeft).toBe(1);
  expect(() => defineScenario({ routes: [{ match: { model: '' }, steps: [{}] }] })).toThrow('routes.0.match.model');
});

test('a glob matches in any place and takes no exponential time', () => {
  const matches = (model: string, name: string): boolean =>
    JSON.stringify(answer(only({ model }), { model: name })) === JSON.stringify(YES);
  expect(matches('*-model', 'test-model')).toBe(true);
  expect(matches('t*t-m*l', 'test-model')).toBe(true);
  expect(matches('test-model*model', 'test-model')).toBe(false);
  expect(matches(`${'*t'.repeat(200)}x`, 'test-model')).toBe(false);
});
