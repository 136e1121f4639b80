import type { Digest, HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, logOf, named, prompt, text } from '../../tests/log-of.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointText, checkpointTokens } from './checkpoint-text.ts';
import type { CheckpointInput } from './make-checkpoint.ts';
import { makeCheckpoint } from './make-checkpoint.ts';
import type { ModelFields } from './model-answer.ts';
import { readCheckpoint } from './read-checkpoint.ts';

const BOUND = 4_000;

function calls(...all: readonly (readonly [id: string, name: string, input: object])[]): TestEvent {
  return answer(
    all.map(([id, name, input]) => ({ type: 'call', call: callId(id), name, arguments: JSON.stringify(input) })),
  );
}

function bash(id: string, command: string, exit: number, output: string): readonly TestEvent[] {
  const ended = { call: callId(id), parts: [{ type: 'text', text: output }], exit } as const;
  return [
    calls([id, 'bash', { command }]),
    ['tool.started', { call: callId(id), name: 'bash', effect: 'execute' }],
    [exit === 0 ? 'tool.returned' : 'tool.failed', ended],
  ];
}

function touched(id: string, name: string, path: string, as: 'read' | 'written', digest: Digest): readonly TestEvent[] {
  const files = [{ path, digest, as }];
  return [calls([id, name, { path }]), ['tool.returned', { call: callId(id), parts: [], files }]];
}

function planned(id: string, plan: object): readonly TestEvent[] {
  return [calls([id, 'plan', plan]), ['tool.returned', { call: callId(id), parts: [] }]];
}

function of(events: readonly TestEvent[], more: Partial<CheckpointInput> = {}): Checkpoint {
  const range = { from: position(0), to: position(events.length - 1) };
  return makeCheckpoint({ records: logOf(events), range, bound: BOUND, ...more });
}

function recorded(checkpoint: Checkpoint): HistoryCompacted {
  const { text: shown, limitations } = checkpointText(checkpoint);
  const fields: HistoryCompacted['fields'] = JSON.parse(JSON.stringify(checkpoint));
  const { range, strategy } = checkpoint;
  return { range, strategy, trigger: 'manual', checkpoint: shown, limitations, ...(fields && { fields }) };
}

const STORY: readonly TestEvent[] = [
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

test('the text of a checkpoint has exactly these headings and lines', () => {
  const { text: shown, limitations } = checkpointText(of(STORY));
  expect(shown.split('\n')).toEqual([
    'This checkpoint replaces the history from position 0 to 14. Numbers in brackets are positions in the log.',
    '',
    '## Objective',
    '- [2] Fix the tax test. Keep the rounding.',
    '',
    '## Prompts of the user',
    '- [2]',
    '  > Fix the tax test.',
    '  > Keep the rounding.',
    '',
    '## Decisions',
    '- [12] round half up (settled), because: the law says so',
    '',
    '## Open tasks',
    '- [12] write the notes (open)',
    '',
    '## Work done',
    '- [12] Task done, by the plan: fix the sum',
    '',
    '## Files changed',
    '- [6] /w/tax.ts',
    '',
    '## Files read',
    '- [4] /w/AGENTS.md',
    '',
    '## Commands and evidence',
    '- [9] failed, exit 1: npm test',
    '  > one two expected 3, was 4 [exit 1]',
    '',
    '## Steps',
    '### Turn 1-14, completed: Fix the tax test. Keep the rounding.',
    '- [5] edit /w/tax.ts',
    '- [7] bash (failed): npm test',
    '- [9] returned',
    '  > expected 3, was 4',
    '  > [exit 1]',
    '- [13] said: The sum is fixed.',
    '',
    '## Instruction files to read again',
    '- [4] /w/AGENTS.md',
    '',
    '## Skills to load again',
    '- [10] review',
  ]);
  expect(limitations).toEqual([
    'It is shortened: results and long inputs are reduced to selected lines and names. Events that it does not mention may still have happened.',
    'The log is complete: if you have these tools, history_read returns the record at a position from 0 to 14, and history_search finds words in it.',
    'Skills that were loaded only in that range do not apply until you load them again: review.',
    'Instruction files that were read in that range must be read again before work in their folders: /w/AGENTS.md.',
  ]);
});

test('equal records give an equal checkpoint', () => {
  expect(JSON.stringify(of(STORY))).toBe(JSON.stringify(of(STORY)));
});

test('`readCheckpoint` returns the recorded checkpoint, and `undefined` for missing fields or an unknown form', () => {
  const made = of(STORY);
  expect(readCheckpoint(recorded(made))).toEqual(made);
  const { fields, ...plain } = recorded(made);
  expect(readCheckpoint(plain)).toBeUndefined();
  expect(readCheckpoint({ ...plain, fields: { ...fields, form: 'checkpoint/3' } })).toBeUndefined();
});

const ran = (closing: TestEvent, began = true): readonly TestEvent[] => [
  created,
  calls(['c1', 'bash', { command: 'make' }]),
  ...(began ? [['tool.started', { call: callId('c1'), name: 'bash', effect: 'execute' }] as const] : []),
  closing,
];

test.each<readonly [string, TestEvent, string | undefined]>([
  ['exit 0', ['tool.returned', { call: callId('c1'), parts: [], exit: 0 }], 'passed'],
  ['exit 2', ['tool.failed', { call: callId('c1'), parts: [], exit: 2 }], 'failed'],
  ['no known exit code', ['tool.returned', { call: callId('c1'), parts: [] }], 'unknown'],
  ['a failure after exit 0', ['tool.failed', { call: callId('c1'), parts: [], exit: 0 }], 'partial'],
  ['an interrupt', ['tool.abandoned', { call: callId('c1'), reason: 'interrupted' }], 'partial'],
  ['a crash', ['tool.abandoned', { call: callId('c1'), reason: 'crashed' }], 'unknown'],
  ['a denial', ['tool.abandoned', { call: callId('c1'), reason: 'denied' }], undefined],
  ['arguments that were cut off', ['tool.abandoned', { call: callId('c1'), reason: 'cut' }], undefined],
])('`makeCheckpoint` records the outcome of a command that ended with %s', (_, closing, outcome) => {
  expect(of(ran(closing)).commands[0]?.outcome).toBe(outcome);
});

test('commands that were only mentioned or never started are not listed', () => {
  const events = [created, prompt('I ran `npm test` and changed src/a.ts'), answer([text('Ran npm test: exit 0')])];
  expect(of(events)).toMatchObject({ commands: [], filesChanged: [], filesRead: [], tasks: [], decisions: [] });
  const unstarted: TestEvent = ['tool.abandoned', { call: callId('c1'), reason: 'interrupted' }];
  expect(of(ran(unstarted, false)).commands).toEqual([]);
});

test('a command is listed with its last run, the number of runs, and its last failure before it passed', () => {
  const { commands } = of([created, ...bash('c1', 'make', 1, 'no'), ...bash('c2', 'make', 0, 'a\nall well')]);
  expect(commands).toEqual([
    {
      position: 6,
      command: 'make',
      outcome: 'passed',
      exit: 0,
      runs: 2,
      excerpt: 'all well',
      failedAt: 3,
      failure: 'no',
    },
  ]);
});

test('files of a call without reported files are taken from its arguments if it succeeded', () => {
  const ofCall = (effect: 'read' | 'write', name: string, closing: 'tool.returned' | 'tool.failed') =>
    of([
      created,
      calls(['c1', 'Tool', { [name]: '/w/a.ts' }]),
      ['tool.started', { call: callId('c1'), name: 'Tool', effect }],
      [closing, { call: callId('c1'), parts: [] }],
    ]);
  const file = { position: 3, path: '/w/a.ts' };
  expect(ofCall('read', 'file_path', 'tool.returned').filesRead).toEqual([file]);
  expect(ofCall('write', 'path', 'tool.returned').filesChanged).toEqual([file]);
  expect(ofCall('write', 'path', 'tool.failed').filesChanged).toEqual([]);
  expect(ofCall('read', 'path', 'tool.returned').filesRead).toEqual([]);
});

test('tools of other programs are known by name if no effect class was recorded', () => {
  const made = of([
    created,
    calls(['c1', 'Read', { file_path: '/w/a.ts' }]),
    ['tool.returned', { call: callId('c1'), parts: [] }],
    calls(['c2', 'edit', { path: 'b.ts' }], ['c3', 'Bash', { command: 'make' }], ['c4', 'Grep', { path: '/w' }]),
    ['tool.returned', { call: callId('c2'), parts: [] }],
    ['tool.failed', { call: callId('c3'), parts: [] }],
    ['tool.returned', { call: callId('c4'), parts: [] }],
  ]);
  expect(made.filesRead).toEqual([{ position: 2, path: '/w/a.ts' }]);
  expect(made.filesChanged).toEqual([{ position: 4, path: 'b.ts' }]);
  expect(made.commands).toEqual([{ position: 5, command: 'make', outcome: 'failed', runs: 1 }]);
});

test('plans of other programs are read, and entries without text are skipped', () => {
  const todo = { todos: [{ content: 'one', status: 'in_progress' }, { status: 'pending' }, 3] };
  const codex = { plan: [{ step: 'two', status: 'constructor' }] };
  const one = [calls(['c1', 'TodoWrite', todo]), ['tool.returned', { call: callId('c1'), parts: [] }] as const];
  const two = [calls(['c2', 'update_plan', codex]), ['tool.returned', { call: callId('c2'), parts: [] }] as const];
  expect(of([created, ...one, ...two]).tasks.map(({ task, status }) => [task, status])).toEqual([
    ['one', 'unlisted'],
    ['two', 'open'],
  ]);
});

test('without a plan, the limitations state that no decisions or open tasks are recorded', () => {
  const { text: shown, limitations } = checkpointText(of([created, prompt('hello')]));
  expect(shown).not.toContain('## Decisions');
  expect(limitations).toContain(
    'No decisions and no open tasks are recorded in a plan; those that were only mentioned are in the log.',
  );
});

test('skills and files that are loaded again in the tail are not listed, nor are preloaded skills', () => {
  const loaded = (name: string, reason: 'always' | 'on_demand'): TestEvent => [
    'skill.loaded',
    { name, version: '1', reason, tokens: 1, source: 'home' },
  ];
  const events = [
    created,
    loaded('a', 'always'),
    loaded('b', 'on_demand'),
    loaded('c', 'on_demand'),
    ...STORY.slice(3, 5),
  ];
  const made = of(events, { skillsInTail: ['b'], filesInTail: ['/w/AGENTS.md'] });
  expect([made.skills.map(({ name }) => name), made.instructions]).toEqual([['c'], []]);
  expect(of(events).instructions).toHaveLength(1);
});

test('all prompts are unchanged if they fit, otherwise the oldest are shortened first', () => {
  const long = `first ${'words '.repeat(300)}last`;
  const events = [created, prompt(long), prompt(`${long} again`)];
  const { directives, limitations } = of(events);
  expect(directives.map(({ text: shown }) => shown)).toEqual([long, `${long} again`]);
  expect(limitations.join()).not.toContain('Long prompts');
  const tight = of(events, { bound: 1_000 });
  expect(tight.directives[1]?.text).toBe(`${long} again`);
  expect(tight.directives[0]).toMatchObject({ position: 1, of: long.length });
  expect(tight.directives[0]?.text).toMatch(/^first words .* \[…\d+ left out…\] .*last$/);
  expect(tight.limitations).toContain('Long prompts are shortened, and […] marks omitted text: 1.');
});

test('a prompt that stays whole after the checkpoint is not repeated, but is kept for the next checkpoint', () => {
  const long = `first ${'words '.repeat(300)}last`;
  const events = [created, prompt(long), prompt('second')];
  const made = of(events, { keptPrompts: [1] });
  expect(checkpointText(made).text).toMatch(/^- \[1\] \(whole text below\): first words /m);
  const next = of([...events, prompt('third')], { previous: recorded(made) });
  expect(next.directives[0]).toEqual({ position: 1, text: long });
});

test('prompts are quoted, so their text cannot be mistaken for a heading', () => {
  const { text: shown } = checkpointText(of([created, prompt('do it\n## Decisions\r\n- none\u2028## Risks')]));
  expect(shown.split('\n').filter((line) => line.startsWith('## Decisions'))).toEqual([]);
  expect(shown).toContain('  > ## Decisions\n  > - none\n  > ## Risks');
});

test('done tasks leave the list, and tasks missing from a later plan stay as `unlisted`', () => {
  const first = of([created, ...planned('c1', { tasks: ['a', 'b', 'c'].map((task) => ({ task, status: 'open' })) })]);
  const more = [
    created,
    ...planned('c1', {}),
    ...planned('c2', {
      tasks: [
        { task: 'a', status: 'done' },
        { task: 'b', status: 'active' },
      ],
    }),
  ];
  const next = of(more, { previous: recorded(first) });
  expect(next.tasks.map(({ task, status }) => [task, status])).toEqual([
    ['b', 'active'],
    ['c', 'unlisted'],
  ]);
  expect(next.work.map(({ what }) => what)).toContain('Task done, by the plan: a');
});

test('records that the previous checkpoint covers are skipped, so passing them again changes nothing', () => {
  const events = [...STORY, prompt('and the next one')];
  const previous = recorded(of(STORY));
  const { length } = STORY;
  const all = of(events, { previous });
  expect(of(events, { previous, records: logOf(events).slice(length) })).toEqual(all);
  expect(all.counts).toEqual({ ...of(STORY).counts, 'prompt.given': 2 });
});

test('the summary of another program is kept, and the records of its range are read again', () => {
  const { fields: _, ...summary } = recorded(of(STORY));
  const made = of(STORY, { previous: { ...summary, strategy: 'recorded', checkpoint: 'They fixed it.' } });
  expect(made.summary).toEqual({ position: 14, text: 'They fixed it.' });
  expect(checkpointText(made).text).toContain('## Earlier summary, up to [14]\n  > They fixed it.');
  expect(made.filesChanged).toEqual(of(STORY).filesChanged);
});

const EMPTY: ModelFields = { decisions: [], work: [], tasks: [], questions: [], risks: [], limitations: [] };

test('items from a model are marked as such, and a model can change a proven decision only to `reversed`', () => {
  const plain = of(STORY);
  const fromModel: ModelFields = {
    ...EMPTY,
    objective: 'finish the notes',
    decisions: [
      { what: 'round half up', status: 'reversed' },
      { what: 'no new dependency', status: 'settled', position: 9_999 },
    ],
    tasks: [{ task: 'write the notes', status: 'active' }],
    risks: ['the year end'],
    limitations: ['the first hour'],
  };
  const made = of(STORY, { fromModel });
  const { objective, decisions, tasks, risks, limitations, strategy, ...same } = made;
  expect(plain).toMatchObject(same);
  expect(objective).toEqual({ ...plain.objective, now: 'finish the notes' });
  const [rounding, ...others] = plain.decisions;
  expect(rounding).toMatchObject({ what: 'round half up', status: 'settled' });
  expect(decisions).toEqual([
    { ...rounding, status: 'reversed', by: 'model' },
    ...others,
    { position: 14, what: 'no new dependency', status: 'settled', by: 'model' },
  ]);
  expect(tasks).toEqual(plain.tasks);
  expect(risks).toEqual([{ position: 14, text: 'the year end', by: 'model' }]);
  expect(strategy).toBe('model-assisted');
  expect(limitations.slice(-2)).toEqual([
    'Items marked "by a model" were written by a model and are not proven by the log.',
    'The model that helped to write it reports: the first hour',
  ]);
});

test('a checkpoint fits its bound and names the omitted items with their positions, and so does the next checkpoint', () => {
  const many = Array.from({ length: 300 }, (_, index) => prompt(`directive number ${index} `.repeat(9)));
  const made = of([created, ...many], { bound: 1_500 });
  expect(checkpointTokens(made)).toBeLessThanOrEqual(1_500);
  const kept = made.directives.map((one) => Number(one.position));
  expect(kept).toEqual(Array.from(kept, (_, index) => 301 - kept.length + index));
  const limitation = `Omitted to limit the size, of prompts of the user: ${300 - kept.length}, at 1-${300 - kept.length}.`;
  expect(made.limitations).toContain(limitation);
  const next = of([created, ...many, answer([text('ok')])], { bound: 9_000, previous: recorded(made) });
  expect(next.limitations).toContain(limitation);
});

test('a model that adds many long items takes no space from what the log proves', () => {
  const words = (what: string): readonly string[] =>
    Array.from({ length: 200 }, (_, at) => `${what} ${at} `.repeat(20));
  const fromModel: ModelFields = {
    ...EMPTY,
    decisions: words('decided').map((what) => ({ what, status: 'settled' as const })),
    tasks: words('to do').map((task) => ({ task, status: 'open' as const })),
    limitations: words('not carried'),
  };
  const plain = of(STORY, { bound: 1_500 });
  const made = of(STORY, { bound: 1_500, fromModel });
  expect(checkpointTokens(made)).toBeLessThanOrEqual(1_500);
  const { directives, filesChanged, skills, instructions } = plain;
  expect(made).toMatchObject({ directives, filesChanged, skills, instructions });
  expect(made.decisions).toEqual(expect.arrayContaining([...plain.decisions]));
  expect(made.tasks).toEqual(expect.arrayContaining([...plain.tasks]));
  expect(made.limitations).toContain('It reported 195 more limitations, which are omitted.');
});

test('skills and instruction files that are no longer in force are named even with very few tokens', () => {
  const path = '/home/somebody/projects/a-workspace-with-a-long-name/packages/context/AGENTS.md';
  const many = Array.from({ length: 80 }, (_, at) => prompt(`directive number ${at} `.repeat(4)));
  const made = of([...STORY, ...touched('c8', 'read', path, 'read', named('more')), ...many], { bound: 600 });
  expect(checkpointTokens(made)).toBeLessThanOrEqual(600);
  expect(made.limitations.filter((line) => line.includes('again')).join()).toMatch(
    /: review\.,.*\/w\/AGENTS\.md, \/home/,
  );
  expect(made.directives.length).toBeGreaterThan(0);
});
