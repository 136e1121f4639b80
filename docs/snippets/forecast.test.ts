// Tests `forecast` against the simulator, in the process of the test.

import Anthropic from '@anthropic-ai/sdk';
import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator, defineScenario } from '@tidemark/simulator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { forecast } from './forecast.ts';

const scenario = defineScenario({
  routes: [
    {
      name: 'Bonn',
      match: { prompt: 'Bonn', tools: ['temperature'] },
      steps: [
        { answer: { calls: [{ name: 'temperature', arguments: { city: 'Bonn' } }] } },
        { expect: { toolResult: '21' }, answer: { text: 'It is 21 °C in Bonn.' } },
      ],
    },
  ],
});

const simulator = createSimulator({ scenario, explainMisses: true });
let server: ListeningSimulator;
let client: Anthropic;

beforeAll(async () => {
  server = await simulator.listen();
  client = new Anthropic({ baseURL: server.url, apiKey: 'any' });
});
afterEach(() => simulator.reset());
afterAll(() => server.close());

test('the forecast names the temperature that the tool returned', async () => {
  expect(await forecast('Bonn', client)).toBe('It is 21 °C in Bonn.');
  expect(simulator.requests().map(({ route, step }) => [route, step])).toEqual([
    ['Bonn', 1],
    ['Bonn', 2],
  ]);
});

test('the second call reads the rules from the cache', async () => {
  await forecast('Bonn', client);
  expect(simulator.check({ minHitRate: 0.45, maxCost: 0.05 })).toEqual([]);
});

test('a question without a route fails', async () => {
  await expect(forecast('Oslo', client)).rejects.toThrow('Bonn: prompt does not contain');
  expect(simulator.check()).toContain('not played: step 1 of Bonn');
});
