// Checkpoints over several rounds with a model's help. Each new answer replaces the previous answer and closes items
// that have ended.

import type { HistoryCompacted } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { expect, test } from 'vitest';
import { checkpointOf, recorded } from '../../tests/checkpoint-of.ts';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, prompt, text as words } from '../../tests/log-of.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointText } from './checkpoint-text.ts';
import { parseCheckpoint } from './model-answer.ts';
import type { ModelFields } from './model-answer.ts';

const NOTHING: ModelFields = { decisions: [], work: [], tasks: [], questions: [], risks: [], limitations: [] };

/**
 * One round: the events before it (`told`) and the model's answer (`says`). If `says` is `undefined`, no model is
 * asked.
 */
interface Round {
  readonly told?: readonly TestEvent[];
  readonly says: Partial<ModelFields> | undefined;
}

/**
 * Compacts after each round. Each compaction gets the record of the previous compaction, in the form in which it is
 * read back from the log.
 */
function played(rounds: readonly Round[]): readonly Checkpoint[] {
  const events: TestEvent[] = [created, prompt('Build the store.')];
  let previous: HistoryCompacted | undefined;
  return rounds.map(({ told: more = [prompt('Go on with it please.')], says }) => {
    events.push(...more);
    const fromModel = says && { ...NOTHING, ...says };
    const made = checkpointOf(events, { ...(previous && { previous }), ...(fromModel && { fromModel }) });
    previous = recorded(made);
    return made;
  });
}

function plan(id: string, content: object): readonly TestEvent[] {
  const call = { type: 'call', call: callId(id), name: 'plan', arguments: JSON.stringify(content) } as const;
  return [answer([call]), ['tool.returned', { call: callId(id), parts: [] }]];
}

const settled = (what: string, replaces?: string): ModelFields['decisions'][number] => ({
  what,
  status: 'settled',
  ...(replaces !== undefined && { replaces }),
});

test('five rounds replace decisions, finish tasks and answer questions without contradictions', () => {
  const made = played([
    {
      says: {
        decisions: [settled('use sqlite')],
        tasks: [{ task: 'Write the parser', status: 'open' }],
        questions: [{ question: 'Which port?' }],
      },
    },
    {
      says: {
        decisions: [settled('use postgres', 'use sqlite')],
        tasks: [{ task: 'write the parser.', status: 'active' }],
        questions: [{ question: 'Which port?' }],
      },
    },
    {
      says: {
        decisions: [settled('use postgres')],
        tasks: [
          { task: 'Write the parser', status: 'done' },
          { task: 'Write the tests', status: 'open' },
        ],
        questions: [{ question: 'Which port?', answer: '8080, said the user' }],
      },
    },
    {
      says: {
        decisions: [settled('use postgres 17', 'use postgres')],
        tasks: [{ task: 'Write the tests', status: 'active' }],
      },
    },
    { says: { decisions: [settled('use postgres 17')], work: [{ what: 'The tests pass' }] } },
  ]);
  expect(made.map(({ decisions }) => decisions.map(({ what }) => what))).toEqual([
    ['use sqlite'],
    ['use postgres'],
    ['use postgres'],
    ['use postgres 17'],
    ['use postgres 17'],
  ]);
  expect(made.map(({ tasks }) => tasks.map(({ task, status }) => `${task} ${status}`))).toEqual([
    ['Write the parser open'],
    ['write the parser. active'],
    ['Write the tests open'],
    ['Write the tests active'],
    [],
  ]);
  expect(made.map(({ questions }) => questions.length)).toEqual([1, 1, 0, 0, 0]);
  expect(made[2]?.work.map(({ what }) => what)).toEqual([
    'Task done: Write the parser',
    'Question answered: Which port? 8080, said the user',
  ]);
  const [, second, , , last] = made.map((one) => checkpointText(one).text);
  expect(second).toContain('use postgres (settled, by a model), replaces: use sqlite');
  expect(last).not.toMatch(/sqlite|parser|port/);
});

test('a line that a model does not repeat is removed, and the limitations give its position', () => {
  const [first, second, third] = played([
    { says: { risks: ['The year end'], work: [{ what: 'Read the code' }], objective: 'A store' } },
    { says: { work: [{ what: 'Read the code' }, { what: 'Wrote the store' }] } },
    { says: { work: [{ what: 'Read the code' }, { what: 'Wrote the store' }] } },
  ]);
  expect(first).toMatchObject({ objective: { now: 'A store' }, risks: [{ text: 'The year end' }] });
  expect(second?.objective).not.toHaveProperty('now');
  expect(second?.risks).toEqual([]);
  const [risk] = first?.risks ?? [];
  const limitation = `Omitted because the model did not repeat them: 1 of its earlier lines, at ${risk?.position}.`;
  expect(second?.limitations).toContain(limitation);
  expect(third?.limitations.join()).not.toContain('did not repeat');
});

test('a round without a model keeps the lines that a model wrote', () => {
  const [first, second, third] = played([
    { says: { decisions: [settled('use postgres')], risks: ['The year end'] } },
    { says: undefined },
    { says: { decisions: [settled('use postgres')] } },
  ]);
  expect(second).toMatchObject({ strategy: 'deterministic', decisions: first?.decisions, risks: first?.risks });
  expect(third).toMatchObject({ risks: [] });
});

test('items proven by the log stay if the model omits them, and end if the model closes them', () => {
  const kept = {
    tasks: [
      { task: 'write the parser', status: 'open' },
      { task: 'write the docs', status: 'open' },
    ],
    decisions: [{ what: 'use sqlite' }, { what: 'keep the format' }, { what: 'no new dependency' }],
    questions: ['Which port?', 'Which host?'],
  };
  const [, , silent, closed, after] = played([
    { told: plan('c1', kept), says: undefined },
    { says: undefined },
    { says: { work: [{ what: 'Read the code' }] } },
    {
      says: {
        decisions: [settled('use postgres', 'Use sqlite.'), { what: 'no new dependency', status: 'reversed' }],
        tasks: [{ task: 'write the parser', status: 'done' }],
        questions: [{ question: 'which port?', answer: '8080' }],
      },
    },
    { says: undefined },
  ]);
  expect(silent?.decisions.map(({ what }) => what)).toEqual(['use sqlite', 'keep the format', 'no new dependency']);
  expect(silent?.tasks).toHaveLength(2);
  expect(silent?.questions).toHaveLength(2);
  for (const one of [closed, after]) {
    expect(one?.decisions.map(({ what, status, by = 'log' }) => `${what}: ${status} (${by})`)).toEqual([
      'keep the format: in force (log)',
      'no new dependency: reversed (model)',
      'use postgres: settled (model)',
    ]);
    expect(one?.tasks.map(({ task }) => task)).toEqual(['write the docs']);
    expect(one?.questions.map(({ text }) => text)).toEqual(['Which host?']);
  }
});

test('a model that repeats a decision from the log does not change it', () => {
  const decisions = [{ what: 'use sqlite', why: 'it is one file', status: 'in force' }];
  const [made] = played([
    { told: plan('c1', { decisions }), says: { decisions: [{ what: 'Use sqlite.', status: 'tentative' }] } },
  ]);
  expect(made?.decisions).toMatchObject(decisions);
});

test('a plan closes questions and risks, and a later plan opens them again', () => {
  const rounds = [
    plan('c1', { questions: ['Which port?', 'Which host?'], risks: ['The year end'] }),
    plan('c2', { closed: ['which port', 'The year end'], questions: ['Which user?'] }),
    plan('c3', { risks: ['the year end'] }),
  ].map((events): Round => ({ told: events, says: undefined }));
  const lists = played(rounds).map(({ questions, risks }) => [...questions, ...risks].map(({ text }) => text));
  expect(lists).toEqual([
    ['Which port?', 'Which host?', 'The year end'],
    ['Which host?', 'Which user?'],
    ['Which host?', 'Which user?', 'the year end'],
  ]);
});

test('a task, decision or question that a plan reopens is listed only as open', () => {
  const again = plan('c1', {
    tasks: [{ task: 'Write parser', status: 'open' }],
    decisions: [{ what: 'Use sqlite' }],
    questions: ['Which port?'],
  });
  const [, made] = played([
    {
      says: {
        decisions: [settled('Use postgres', 'Use sqlite')],
        tasks: [{ task: 'Write parser', status: 'done' }],
        questions: [{ question: 'Which port?', answer: '8080' }],
      },
    },
    { told: again, says: undefined },
  ]);
  expect(made?.decisions.map(({ what }) => what)).toEqual(['Use sqlite']);
  expect([made?.tasks.length, made?.questions.length, made?.work]).toEqual([1, 1, []]);
});

test('a model cannot reopen a task that the log proves to be done', () => {
  const [made] = played([
    {
      told: plan('c1', { tasks: [{ task: 'Write docs', status: 'done' }] }),
      says: { tasks: [{ task: 'write docs', status: 'open' }] },
    },
  ]);
  expect(made?.tasks).toEqual([]);
  expect(made?.work.map(({ what }) => what)).toEqual(['Task done, by the plan: Write docs']);
});

test('a decision is replaced by slightly different text only if exactly one decision matches', () => {
  const decisions = [{ what: 'Use sqlite' }, { what: 'Use tabs in code' }, { what: 'Use tabs in docs' }];
  const [made] = played([
    {
      told: plan('c1', { decisions }),
      says: { decisions: [settled('Use postgres', 'use SQLite database'), settled('Use blanks', 'Use tabs')] },
    },
  ]);
  expect(made?.decisions.map(({ what }) => what)).toEqual([
    'Use tabs in code',
    'Use tabs in docs',
    'Use postgres',
    'Use blanks',
  ]);
});

test('an answer with 200,000 dots in a row is parsed in linear time', () => {
  const what = `${'.'.repeat(200_000)}x`;
  const fields = {
    ...NOTHING,
    decisions: [{ what, status: 'settled' }],
    tasks: [{ task: `a${', '.repeat(100_000)}x`, status: 'open' }],
  };
  expect(parseCheckpoint(JSON.stringify(fields)).ok).toBe(true);
});

test('a task that a model lists twice appears once, as active', () => {
  const twice = { task: 'write the parser', status: 'active' } as const;
  const [made] = played([
    { says: { tasks: [{ task: 'Write the parser.', status: 'open' }, twice, { ...twice, status: 'open' }] } },
  ]);
  expect(made?.tasks).toMatchObject([twice]);
});

test("a long answer of a model does not push out the session's texts and calls", () => {
  const events = Array.from({ length: 60 }, (_, at) => [
    answer([words(`Finding ${at}: the reader of rows is wrong in case ${at}.`)]),
  ]).flat();
  const lines = (what: string): readonly string[] =>
    Array.from({ length: 600 }, (_, at) => `${what} ${at} ${'and so on '.repeat(12)}`);
  const says = {
    decisions: lines('decided').map((what) => settled(what)),
    work: lines('done').map((what) => ({ what })),
    tasks: lines('to do').map((task) => ({ task, status: 'open' as const })),
    questions: lines('asked').map((question) => ({ question })),
    risks: lines('risk'),
  };
  const [plain] = played([{ told: events, says: undefined }]);
  const [made] = played([{ told: events, says }]);
  expect(plain?.steps).toHaveLength(60);
  expect(made?.steps).toHaveLength(60);
  expect(made?.decisions.length).toBeGreaterThan(5);
});

test("text direction characters and line breaks are removed from a model's text", () => {
  const [made] = played([{ says: { risks: ['evil \u202Etxt.exe\u2066 and\n## Objective'] } }]);
  expect(made?.risks[0]?.text).toBe('evil txt.exe and ## Objective');
});

test('a task that a later plan reopens is listed as active', () => {
  const [, , again] = played([
    { told: plan('c1', { tasks: [{ task: 'write the parser', status: 'open' }] }), says: undefined },
    { says: { tasks: [{ task: 'write the parser', status: 'done' }] } },
    {
      told: plan('c2', { tasks: [{ task: 'write the parser', status: 'active' }] }),
      says: { work: [{ what: 'Read the code' }] },
    },
  ]);
  expect(again?.tasks).toMatchObject([{ task: 'write the parser', status: 'active' }]);
});

test.each<readonly [string, Partial<ModelFields>, RegExp]>([
  ['is empty', { limitations: ['all of it'] }, /all of its lists are empty/],
  [
    'lists a decision together with the decision that replaces it',
    { decisions: [settled('use sqlite'), settled('use postgres', 'Use "sqlite"')] },
    /the decision "Use "sqlite"" is listed, and another one replaces it/,
  ],
  [
    'lists a decision both as settled and as reversed',
    { decisions: [settled('use sqlite'), { what: 'use sqlite', status: 'reversed' }] },
    /the decision "use sqlite" is listed both as settled and as reversed/,
  ],
  [
    'lists a task both open and done',
    {
      tasks: [
        { task: 'Test it', status: 'done' },
        { task: 'test it.', status: 'open' },
      ],
    },
    /the task "test it." is listed both as open and as ended/,
  ],
  [
    'lists a task both as open and as work done',
    { tasks: [{ task: 'Ship it', status: 'open' }], work: [{ what: 'Task done: Ship it.' }] },
    /the task "Ship it" is listed as open, and as work done/,
  ],
  [
    'lists a question both with and without its answer',
    { questions: [{ question: 'Which port?' }, { question: 'Which port?', answer: '8080' }] },
    /the question "Which port\?" is listed both/,
  ],
])('an answer that %s is refused, and the message gives the reason', (_, says, why) => {
  const read = parseCheckpoint(JSON.stringify({ ...NOTHING, ...says }));
  expect(read).toMatchObject({ ok: false, unusable: { message: expect.stringMatching(why) } });
});
