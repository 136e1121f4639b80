// Script of the simulator's answers in the demo. Each entry also checks the content of the request. If a tool did not
// really do its work, the demo fails.

import type { Scenario } from '@tidemark/simulator';

/** First prompt to the agent. */
export const PROMPT = 'The receipt test fails. Find out why, fix it, and run the tests.';

/** Second prompt to the agent. */
export const SECOND_PROMPT = 'Discounts change next week. What has to be checked?';

/** Index of one request, from 0. The agent's process is killed while the simulator sends the answer to this request. */
export const FATAL_CALL = 4;

const REPLAY = 'node .agents/skills/change-money/scripts/replay.js';

/** First digits of the digest under which the output of `REPLAY` is stored. The output is the same in every run. */
const REPLAYED = '13f23bd8e644';

/** Fact that the agent stores in its memory for later sessions. */
const LEARNT =
  '- Orders up to 1199 are closed: their copies show what was charged, so `archive.js` must never compute tax.';

/** Question that the subagent answers. */
const TASK = 'Which code in src computes the tax of an order again when a copy of its receipt is printed?';

/**
 * Answers of the model. The agent looks around, searches, loads a skill, edits, runs the tests, replays past orders,
 * starts a subagent, and stores what it learned.
 */
export const SCENARIO: Scenario = {
  steps: [
    {
      expect: { lastUserText: PROMPT },
      answer: {
        text: 'I look at the project and the failing test, and run the tests.',
        calls: [
          { name: 'ls', arguments: { depth: 2 } },
          { name: 'read', arguments: { path: 'test/receipt.test.js' } },
          { name: 'bash', arguments: { command: 'node --test' } },
        ],
      },
    },
    {
      expect: { toolResult: "'tax 0.87'" },
      answer: {
        text: 'One cent of tax is missing. AGENTS.md requires `roundHalfUp` for all rounding, and there is a skill for code that computes amounts.',
        calls: [
          { name: 'grep', arguments: { pattern: 'Math\\.(floor|round|ceil|trunc)', path: 'src' } },
          { name: 'skill_load', arguments: { name: 'change-money' } },
        ],
      },
    },
    {
      expect: { toolResult: '# Changing what customers pay' },
      answer: {
        text: '`taxOn` cuts off half cents. Before I fix it: how does the tax office want them rounded?',
        calls: [
          { name: 'skill_load', arguments: { name: 'change-money', file: 'references/rounding.md' } },
          { name: 'read', arguments: { path: 'src/tax.js' } },
          { name: 'read', arguments: { path: 'CHANGELOG.md' } },
        ],
      },
    },
    {
      expect: { toolResult: 'a half cent goes up' },
      answer: {
        text: 'Up, which is what `roundHalfUp` does.',
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
        text: 'The instructions ask for a line in the changelog. Then I run the tests.',
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
        text: 'All tests pass. The skill asks to check the past, so I replay all 2,400 orders.',
        calls: [{ name: 'bash', arguments: { command: REPLAY } }],
      },
    },
    {
      expect: { toolResult: `use output_read with output ${REPLAYED}` },
      answer: {
        text: 'Half of them would cost a cent more. The oldest are cut off here and matter most, so I read them too.',
        calls: [{ name: 'output_read', arguments: { output: REPLAYED, limit: 60 } }],
      },
    },
    {
      expect: { toolResult: '1002 +1' },
      answer: {
        text: 'Closed orders are among them, from 1002 on. Does any code compute their tax again? A subagent can check.',
        calls: [{ name: 'agent', arguments: { role: 'researcher', task: TASK, readOnly: true } }],
      },
    },
    {
      // The following requests come from the subagent. It sees its task but no part of the earlier conversation.
      expect: { lastUserText: TASK },
      answer: {
        text: 'I look for code that computes tax and code that prints.',
        calls: [
          { name: 'grep', arguments: { pattern: 'taxOn|totals\\(', path: 'src' } },
          { name: 'read', arguments: { path: 'src/archive.js' } },
        ],
      },
    },
    {
      expect: { toolResult: 'by what was charged then' },
      answer: {
        text: 'No code does: src/archive.js prints copies, and takes the tax that was charged from the order.',
      },
    },
    {
      expect: { toolResult: 'No code does: src/archive.js prints copies' },
      answer: {
        text: 'So copies stay unchanged. No file states this rule, so I store it for later sessions.',
        calls: [
          {
            name: 'memory_update',
            arguments: { file: 'MEMORY.md', operation: 'add', text: LEARNT },
          },
        ],
      },
    },
    {
      expect: { toolResult: 'MEMORY.md has 627 bytes' },
      answer: {
        text: 'Fixed: `taxOn` cut off half cents and now rounds with `roundHalfUp`. All tests pass. 1,228 past orders would be taxed one cent more today; copies of closed orders keep the tax that was charged.',
      },
    },
    {
      // A note with the memory follows the prompt. The note contains only the changed lines.
      expect: { lastUserText: `+${LEARNT}` },
      answer: { text: 'Replay the past orders. Orders up to 1199 are closed: their copies must not change.' },
    },
  ],
};
