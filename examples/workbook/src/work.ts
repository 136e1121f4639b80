// Agent of this example for one workbook, and the answers that the simulator returns instead of a model.

import type { Agent, AgentOptions } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Scenario } from '@tidemark/simulator';
import { bookTools } from './book-tools.ts';
import { structureSource } from './structure-source.ts';

/** Prompts of the example, in order. */
export const PROMPTS: readonly string[] = [
  'What was ordered?',
  'Three cups, not two.',
  'Add a sheet that counts the pieces.',
  'Which sheets are there now?',
];

/** Answers of the simulator: the calls and texts that a model would produce for these prompts. */
export const SCENARIO: Scenario = {
  steps: [
    { answer: { calls: [{ name: 'sheet_read', arguments: { sheet: 'Orders' } }] } },
    { answer: { text: 'Three teas and two cups.' } },
    { answer: { calls: [{ name: 'cells_write', arguments: { sheet: 'Orders', cells: [{ ref: 'B3', value: 3 }] } }] } },
    { answer: { text: 'Three cups it is.' } },
    { answer: { calls: [{ name: 'sheet_add', arguments: { sheet: 'Counts', headers: ['Pieces'] } }] } },
    {
      answer: {
        calls: [
          { name: 'cells_write', arguments: { sheet: 'Counts', cells: [{ ref: 'A2', value: '=SUM(Orders!B2:B3)' }] } },
        ],
      },
    },
    { answer: { text: 'Counts now sums the pieces.' } },
    { answer: { text: 'Orders, Rates and Counts.' } },
  ],
};

/** Creates an agent that has only the tools and the structure of this workbook. */
export function bookAgent(
  path: string,
  options: Pick<AgentOptions, 'baseURL' | 'apiKey' | 'host' | 'connection'>,
): Agent {
  return createAgent({
    model: 'claude-sonnet-5-5',
    instructions: 'You keep a workbook. Say what you changed, in one sentence.',
    tools: bookTools(path),
    context: { sources: [structureSource(path)] },
    permissions: { mode: 'auto' },
    cache: {
      // The front of this example is too short for the provider's cache, so it is padded. A real front is longer.
      padding: 'always',
    },
    ...options,
  });
}
