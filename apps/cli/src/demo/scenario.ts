// What the simulator answers in the demo, in a model's place: each step says what it must have been sent, so that a tool
// that did not really do its work is noticed.

import type { Scenario } from '@tidemark/simulator';

/** What the agent is asked. */
export const PROMPT = 'The receipt test fails. Find out why, mend it, and run the tests.';

/** What it is asked next. */
export const SECOND_PROMPT = 'Next week discounts change. What has to be checked?';

/** The request that the agent's process is killed under, counted from 0: its answer is on its way then. */
export const FATAL_CALL = 4;

const REPLAY = 'node .agents/skills/change-money/scripts/replay.js';

/** What it prints is kept under its digest, and is the same each time. */
const REPLAYED = '13f23bd8e644';

/** What it keeps for later sessions. */
const LEARNT =
  '- Orders up to 1199 are closed: their copies show what was charged, so `archive.js` must never compute tax.';

/** What a subagent is to look up. */
const TASK = 'Which code in src computes the tax of an order again when a copy of its receipt is printed?';

/** Looks, searches, loads a skill, edits, runs the tests, replays past orders, has a subagent look something up, keeps what it learnt. */
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
      // From here on the subagent asks, which sees its task and nothing of what was said before.
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
      // Behind its back the memory was told: only what changed in it.
      expect: { lastUserText: `+${LEARNT}` },
      answer: { text: 'Replay the past orders. Those up to 1199 are closed: their copies must not change.' },
    },
  ],
};
