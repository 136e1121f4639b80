// What the simulator answers in the demo, in a model's place: each step says what it must have been sent, so that a tool
// that did not really do its work is noticed.

import type { Scenario } from '@tidemark/simulator';

/** What the agent is asked. */
export const PROMPT = 'The receipt test fails. Find out why, mend it, and run the tests.';

/** The request that the agent's process is killed under, counted from 0: its answer is on its way then. */
export const FATAL_CALL = 4;

/** Looks, searches, reads, edits, runs the tests. */
export const SCENARIO: Scenario = {
  steps: [
    {
      expect: { lastUserText: PROMPT },
      answer: {
        text: 'I look at the project and its instructions, and run the tests to see the failure.',
        calls: [
          { name: 'ls', arguments: { depth: 2 } },
          { name: 'read', arguments: { path: 'AGENTS.md' } },
          { name: 'bash', arguments: { command: 'node --test' } },
        ],
      },
    },
    {
      expect: { toolResult: "'tax 0.87'" },
      answer: {
        text: 'The tax comes out a cent too low. AGENTS.md says that all rounding goes through `roundHalfUp`, so I look for rounding that does not.',
        calls: [
          { name: 'grep', arguments: { pattern: 'Math\\.(floor|round|ceil|trunc)', path: 'src' } },
          { name: 'read', arguments: { path: 'test/receipt.test.js' } },
        ],
      },
    },
    {
      expect: { toolResult: 'Math.floor((cents * rate) / 100)' },
      answer: {
        text: '`taxOn` cuts the half cent off instead of rounding it.',
        calls: [
          { name: 'read', arguments: { path: 'src/tax.js' } },
          { name: 'read', arguments: { path: 'src/money.js' } },
          { name: 'read', arguments: { path: 'CHANGELOG.md' } },
        ],
      },
    },
    {
      expect: { toolResult: 'export function roundHalfUp(cents)' },
      answer: {
        text: 'I let it round through `roundHalfUp`, as the instructions ask.',
        calls: [
          {
            name: 'edit',
            arguments: {
              path: 'src/tax.js',
              old_text: '/** Rates by kind',
              new_text: "import { roundHalfUp } from './money.js';\n\n/** Rates by kind",
            },
          },
          {
            name: 'edit',
            arguments: {
              path: 'src/tax.js',
              old_text: 'return Math.floor((cents * rate) / 100);',
              new_text: 'return roundHalfUp((cents * rate) / 100);',
            },
          },
        ],
      },
    },
    {
      expect: { toolResult: '+  return roundHalfUp((cents * rate) / 100);' },
      answer: {
        text: 'The instructions want a line in the changelog; then the tests.',
        calls: [
          {
            name: 'edit',
            arguments: {
              path: 'CHANGELOG.md',
              old_text: '- Receipts name the rate of each line.\n',
              new_text:
                '- Receipts name the rate of each line.\n- Tax is rounded to the nearest cent, a half up, and no longer cut off.\n',
            },
          },
          { name: 'bash', arguments: { command: 'node --test' } },
        ],
      },
    },
    {
      expect: { toolResult: 'fail 0' },
      answer: {
        text: 'All four tests pass. `taxOn` cut half cents off; it now rounds through `roundHalfUp`, and the changelog says so.',
      },
    },
  ],
};
