import type { Digest, HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Told } from '../../tests/log-of.ts';
import { answer, created, logOf, named, prompt, text } from '../../tests/log-of.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointText, checkpointTokens } from './checkpoint-text.ts';
import type { CheckpointInput } from './make-checkpoint.ts';
import { makeCheckpoint } from './make-checkpoint.ts';
import { readCheckpoint } from './read-checkpoint.ts';

const BOUND = 4_000;

function calls(...all: readonly (readonly [id: string, name: string, input: object])[]): Told {
  return answer(
    all.map(([id, name, input]) => ({ type: 'call', call: callId(id), name, arguments: JSON.stringify(input) })),
  );
}

function bash(id: string, command: string, exit: number, output: string): readonly Told[] {
  const ended = { call: callId(id), parts: [{ type: 'text', text: output }], exit } as const;
  return [
    calls([id, 'bash', { command }]),
    ['tool.started', { call: callId(id), name: 'bash', effect: 'execute' }],
    [exit === 0 ? 'tool.returned' : 'tool.failed', ended],
  ];
}

function touched(id: string, name: string, path: string, as: 'read' | 'written', digest: Digest): readonly Told[] {
  const files = [{ path, digest, as }];
  return [calls([id, name, { path }]), ['tool.returned', { call: callId(id), parts: [], files }]];
}

function planned(id: string, plan: object): readonly Told[] {
  return [calls([id, 'plan', plan]), ['tool.returned', { call: callId(id), parts: [] }]];
}

function of(told: readonly Told[], more: Partial<CheckpointInput> = {}): Checkpoint {
  const range = { from: position(0), to: position(told.length - 1) };
  return makeCheckpoint({ records: logOf(told), range, bound: BOUND, ...more });
}

/** As the log keeps it: in JSON. */
function recorded(checkpoint: Checkpoint): HistoryCompacted {
  const { text: said, limitations } = checkpointText(checkpoint);
  const fields: HistoryCompacted['fields'] = JSON.parse(JSON.stringify(checkpoint));
  const { range, strategy } = checkpoint;
  return { range, strategy, trigger: 'manual', checkpoint: said, limitations, ...(fields && { fields }) };
}

const STORY: readonly Told[] = [
  created,
  ['turn.started', { trigger: 'user' }],
  prompt('Fix the tax test.\nKeep the rounding.'),
  ...touched('c1', 'read', '/w/AGENTS.md', 'read', named('agents')),
  ...touched('c2', 'edit', '/w/tax.ts', 'written', named('tax')),
  ...bash('c3', 'npm test', 1, 'one\ntwo\nexpected 3, was 4\n[exit 1]'),
  ['skill.loaded', { name: 'review', version: '2', reason: 'on_demand', tokens: 900, source: 'home', call: 'c9' }],
  ...planned('c4', {
    tasks: [
      { task: 'fix the sum', status: 'done' },
      { task: 'write the notes', status: 'open' },
    ],
    decisions: [{ what: 'round half up', why: 'the law says so', status: 'settled' }],
  }),
  answer([text('The sum is fixed.')]),
  ['turn.ended', { outcome: 'completed' }],
];

test('says what a range held, in headings and lines that stay as they are', () => {
  expect(checkpointText(of(STORY))).toMatchInlineSnapshot(`
    {
      "limitations": [
        "It is lossy. What it does not say may still have happened, and mattered.",
        "The log is whole: history_read reads what stands at a position from 0 to 14, history_search finds it by its words.",
        "Skills that were loaded in that range alone are no longer in force until they are loaded again: review.",
        "Instruction files that were read in that range are to be read again before work under them: /w/AGENTS.md.",
      ],
      "text": "The history from position 0 to 14, in short. Numbers in brackets are positions in the log.
    It held: answer.received 5, prompt.given 1, session.created 1, skill.loaded 1, tool.failed 1, tool.returned 3, tool.started 1, turn.ended 1, turn.started 1.

    ## Objective
    - [2]
      > Fix the tax test.
      > Keep the rounding.

    ## What the user said
    - [2] is the objective above.

    ## Decisions
    - [12] round half up (settled), because: the law says so

    ## Open tasks
    - [12] write the notes (open)

    ## Work done
    - [12] Task done, by the plan: fix the sum
    - [14] Turn 1-14 completed: read 1, edit 1, bash 1 (1 without success), plan 1. Its last words: "The sum is fixed."

    ## Files changed
    - [6] /w/tax.ts (sha256 1ffc0406b989)

    ## Files read
    - [4] /w/AGENTS.md (sha256 8c70b25cbbbe)

    ## Commands and evidence
    - [9] failed, exit 1: npm test
      > one two expected 3, was 4 [exit 1]

    ## Instruction files to read again
    - [4] /w/AGENTS.md (8c70b25cbbbe)

    ## Skills to load again
    - [10] review (2)",
    }
  `);
});
