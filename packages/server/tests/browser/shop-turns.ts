// Script of the shown session: its prompts, and the answers of the model.

import type { PlannedAnswer } from '@tidemark/simulator';

/** A prompt, and the answers to the requests of its turn. */
export interface ShopTurn {
  readonly prompt: string;
  readonly answers: readonly PlannedAnswer[];
  /** Pause before the prompt, in milliseconds. */
  readonly pauseMs: number;
  /** Change of the session before the prompt. */
  readonly before?: 'tools' | 'compaction';
  /** Index of the answer before which the provider loses the cache entry. */
  readonly evictedAt?: number;
}

/** The author's system text of the agent. */
export const INSTRUCTIONS = [
  'You keep the code of a small shop right.',
  'Read AGENTS.md first. Amounts are whole cents, and a tax is rounded half up for each line of a receipt.',
  'Change only what the user asked for. Run the tests after each change, and quote the line that failed.',
  'If you are not sure which file computes an amount, search for the name of the function instead of guessing.',
].join('\n');

const says = (text: string): PlannedAnswer => ({ text });
const reads = (path: string, text?: string): PlannedAnswer => calls('read', { path }, text);
const tests = (text?: string): PlannedAnswer => calls('run_tests', {}, text);

function calls(name: string, input: Readonly<Record<string, unknown>>, text?: string): PlannedAnswer {
  return { calls: [{ name, arguments: input }], ...(text !== undefined && { text }) };
}

function edits(path: string, oldText: string, newText: string, text?: string): PlannedAnswer {
  return calls('edit', { path, old_text: oldText, new_text: newText }, text);
}

const TASK = 'Read src/orders.js and src/discount.js, and list the functions that round on their own.';

/** Turn of the subagent. */
export const SUBAGENT: ShopTurn = {
  prompt: TASK,
  pauseMs: 0,
  answers: [
    reads('src/orders.js'),
    reads('src/discount.js'),
    says('No function rounds on its own: each one calls `taxOn` of src/tax.js.'),
  ],
};

/** Turns of the session. */
export const TURNS: readonly ShopTurn[] = [
  {
    prompt: 'The receipt test fails. Find out why and fix it.',
    pauseMs: 0,
    answers: [
      reads('AGENTS.md', 'I read the rules of the project first.'),
      tests('Then I see what fails.'),
      reads('test/receipt.test.js'),
      reads('src/receipt.js', 'The test adds up the lines of a receipt.'),
      calls('grep', { text: 'taxOn' }),
      reads('src/tax.js', '`taxOn` computes the tax of a line.'),
      edits(
        'src/tax.js',
        'Math.floor((cents * rate) / 100)',
        'roundHalfUp((cents * rate) / 100)',
        '`Math.floor` cuts off half cents. AGENTS.md asks for `roundHalfUp`.',
      ),
      edits('src/tax.js', '/** Rates', "import { roundHalfUp } from './money.js';\n\n/** Rates"),
      tests(),
      says('The test passes now. `taxOn` cut off half cents, so 0.875 became 0.87. It now rounds half up.'),
    ],
  },
  {
    prompt: 'Does any other file round on its own? Let a subagent look.',
    pauseMs: 2 * 60_000,
    answers: [
      calls('grep', { text: 'Math.' }),
      calls('agent', { task: TASK }, 'A subagent reads the two long files.'),
      reads('docs/tax.md'),
      says('No other file rounds on its own. All of them call `taxOn`.'),
    ],
  },
  {
    prompt: 'Check that every report rounds half up as well.',
    pauseMs: 3 * 60_000,
    evictedAt: 7,
    answers: [
      reads('src/report.js'),
      reads('src/orders.js'),
      calls('grep', { text: 'cents' }, 'I look at each place where cents are computed.'),
      reads('src/discount.js'),
      tests(),
      reads('src/money.js'),
      calls('grep', { text: 'RATES' }),
      reads('docs/tax.md', 'I compare the code with the rules once more.'),
      reads('src/receipt.js'),
      calls('grep', { text: 'month' }),
      reads('src/tax.js'),
      tests(),
      reads('test/receipt.test.js'),
      calls('grep', { text: 'reduce' }),
      tests('A last run.'),
      says('Every report calls `taxOn`, so each one rounds half up.'),
    ],
  },
  {
    prompt: 'I am back. Is the change of this morning complete?',
    pauseMs: 47 * 60_000,
    answers: [
      tests('I run the tests again.'),
      calls('grep', { text: 'roundHalfUp' }),
      says('Yes. All tests pass, and `roundHalfUp` is used where the tax is computed.'),
    ],
  },
  {
    prompt: 'What should be in the release notes?',
    pauseMs: 90_000,
    before: 'compaction',
    answers: [reads('AGENTS.md'), says('"The tax of a line is rounded half up. A receipt could be a cent too low."')],
  },
  {
    prompt: 'You can deploy now. Put it on the test machine.',
    pauseMs: 60_000,
    before: 'tools',
    answers: [calls('deploy', {}), says('The test machine has the new state: https://test.shop.example')],
  },
];

/** Turn of the fork. */
export const FORKED: ShopTurn = {
  prompt: 'Try it the other way: round the sum instead of the lines.',
  pauseMs: 0,
  answers: [reads('src/receipt.js'), says('The rules forbid this: docs/tax.md asks for rounded lines.')],
};
