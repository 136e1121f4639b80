// Script of the simulator's answers in the demo. Each step also checks the content of the request, so the demo fails if
// a tool did not really do its work.

import type { Scenario } from '@tidemark/simulator';

/** First prompt to the agent. */
export const PROMPT = 'The receipt test fails. Find out why, mend it, and run the tests.';

/** Second prompt to the agent. */
export const SECOND_PROMPT = 'Next week discounts change. What has to be checked?';

/** Index of the request, from 0, during which the agent's process is killed. Its answer is being sent at that time. */
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
        text: 'A cent of tax is missing. AGENTS.md wants all rounding in `roundHalfUp`; and a skill is listed for code that computes amounts.',
        calls: [
          { name: 'grep', arguments: { pattern: 'Math\\.(floor|round|ceil|trunc)', path: 'src' } },
          { name: 'skill_load', arguments: { name: 'change-money' } },
        ],
      },
    },
    {
      expect: { toolResult: '# Changing what customers pay' },
      answer: {
        text: '`taxOn` cuts half cents off. Before I mend it: where does the tax office want them?',
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
        text: 'All tests pass. Now the past, as the skill asks: all 2,400 orders again.',
        calls: [{ name: 'bash', arguments: { command: REPLAY } }],
      },
    },
    {
      expect: { toolResult: `The whole is the output ${REPLAYED}` },
      answer: {
        text: 'Half of them would be a cent more. The oldest are cut off here, and they matter most: I read those too.',
        calls: [{ name: 'output_read', arguments: { output: REPLAYED, limit: 60 } }],
      },
    },
    {
      expect: { toolResult: '1002 +1' },
      answer: {
        text: 'Closed orders are among them, from 1002 on. Does anything compute their tax again? A subagent may look.',
        calls: [{ name: 'agent', arguments: { role: 'researcher', task: TASK, readOnly: true } }],
      },
    },
    {
      // From here on, the requests come from the subagent. It sees its task but nothing of the earlier conversation.
      expect: { lastUserText: TASK },
      answer: {
        text: 'I look who computes tax, and who prints.',
        calls: [
          { name: 'grep', arguments: { pattern: 'taxOn|totals\\(', path: 'src' } },
          { name: 'read', arguments: { path: 'src/archive.js' } },
        ],
      },
    },
    {
      expect: { toolResult: 'by what was charged then' },
      answer: { text: 'None does: src/archive.js prints copies, and takes the tax that was charged from the order.' },
    },
    {
      expect: { toolResult: 'None does: src/archive.js prints copies' },
      answer: {
        text: 'So copies stay as they are. No file says that they have to; I keep it for later sessions.',
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
        text: 'Mended: `taxOn` cut half cents off and now rounds through `roundHalfUp`. All tests pass. 1,228 past orders would be taxed a cent more today; what was charged for closed ones stays on their copies.',
      },
    },
    {
      // The prompt is followed by a note about the memory, which contains only the changed lines.
      expect: { lastUserText: `+${LEARNT}` },
      answer: { text: 'Replay the past orders. Those up to 1199 are closed: their copies must not change.' },
    },
  ],
};
