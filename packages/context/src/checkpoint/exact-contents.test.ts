// Tests that a checkpoint reports requests, commands, changes and names as they were.

import type { AnswerPart, CallId } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { expect, test } from 'vitest';
import { checkpointOf, recorded, step, textOf } from '../../tests/checkpoint-of.ts';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, prompt, text } from '../../tests/log-of.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointTokens } from './checkpoint-text.ts';

test('the objective is the latest request, with the short prompts after it', () => {
  const events = [
    created,
    prompt('Explain how the parser works, and change nothing.'),
    prompt('go on'),
    prompt('Add dark mode'),
    prompt('thanks'),
  ];
  expect(checkpointOf(events).objective).toEqual({
    position: 1,
    text: 'Explain how the parser works, and change nothing.',
    since: [{ position: 3, text: 'Add dark mode' }],
  });
  expect(textOf(checkpointOf(events))).toContain(
    '- [1] Explain how the parser works, and change nothing.\n- [3] later: Add dark mode',
  );
  const next = [...events, prompt('Use blue.')];
  const later = checkpointOf(next, { previous: recorded(checkpointOf(events)) });
  expect(later.objective?.since?.map(({ text: shown }) => shown)).toEqual(['Add dark mode', 'Use blue.']);
});

test('commands in different folders, or with the same beginning and different ends, are listed separately', () => {
  const long = `python3 - <<EOF\n${'x = 1  # the same preamble in both\n'.repeat(20)}`;
  const made = checkpointOf([
    created,
    ...step('a', 'exec_command', { command: 'npm test', workdir: '/w/a' }, 'FAIL a', true),
    ...step('b', 'exec_command', { command: 'npm test', workdir: '/w/b' }, 'ok b'),
    ...step('c', 'bash', { command: `${long}check_A()\nEOF` }, 'A is broken', true),
    ...step('d', 'bash', { command: `${long}check_B()\nEOF` }, 'B is fine'),
  ]);
  expect(made.commands).toHaveLength(4);
  expect(made.commands.filter(({ failedAt }) => failedAt !== undefined)).toEqual([]);
  expect(textOf(made)).toContain('failed: npm test (in /w/a)');
});

const TWO = `export function first(a: number): number {
  if (a < 0) {
    return 0;
  }
  return a;
}

export function second(b: number): number {
  if (b < 0) {
    return 0;
  }
  return b * 2;
}
`;

test('each hunk of a change is listed below its own function', () => {
  const edits = [
    { old_string: '  return a;', new_string: '  return 2 * a;' },
    { old_string: '  return b * 2;', new_string: '  return b * 3;' },
  ];
  const events = [
    created,
    ...step('r', 'Read', { file_path: 'a.ts' }, TWO),
    ...step('e', 'MultiEdit', { file_path: 'a.ts', edits }, 'ok'),
  ];
  expect(textOf(checkpointOf(events))).toContain(
    [
      'MultiEdit a.ts in export function first(a: number): number {',
      '  > - return a;',
      '  > + return 2 * a;',
      '  > in export function second(b: number): number {',
      '  > - return b * 2;',
      '  > + return b * 3;',
    ].join('\n'),
  );
});

test('a result line of 2,000,000 characters is read in linear time', () => {
  const events = [created, ...step('a', 'bash', { command: 'cat all' }, `error ${'a.'.repeat(1_000_000)}`)];
  expect(textOf(checkpointOf(events))).toContain('> error a.a.a.');
});

test('a change is listed with its function, also if its first line occurs twice in the file', () => {
  const edit = {
    path: 'a.ts',
    old_text: '    return 0;\n  }\n  return b * 2;',
    new_text: '    return 0;\n  }\n  return b * 3;',
  };
  const made = checkpointOf([created, ...step('r', 'read', { path: 'a.ts' }, TWO), ...step('e', 'edit', edit, 'ok')]);
  expect(textOf(made)).toContain('edit a.ts in export function second(b: number): number {');
  const twice = { path: 'a.ts', old_text: '    return 0;', new_text: '    return 1;' };
  const unsure = checkpointOf([
    created,
    ...step('r', 'read', { path: 'a.ts' }, TWO),
    ...step('e', 'edit', twice, 'ok'),
  ]);
  expect(textOf(unsure)).not.toContain('edit a.ts in');
});

const CONFIG = `import os

def load_config(path):
    return open(path).read()

def save_config(path, text):
    open(path, 'w').write(text)
`;

test('names in a changed file have their current lines, and removed names are not listed', () => {
  const read = step('r', 'read', { path: 'cfg.py' }, CONFIG);
  const header = { path: 'cfg.py', old_text: 'import os\n', new_text: `import os\n${'# a line\n'.repeat(40)}` };
  const rename = { path: 'cfg.py', old_text: 'def load_config(path):', new_text: 'def read_settings(path):' };
  const events = [created, ...read, ...step('e', 'edit', header, 'ok'), ...step('f', 'edit', rename, 'ok')];
  const names = ({ filesChanged: [file] }: Checkpoint): readonly unknown[] =>
    (file?.names ?? []).filter(({ declared }) => declared === true).map(({ name, line }) => [name, line]);
  const made = checkpointOf(events);
  expect(new Set(names(made))).toEqual(
    new Set([
      ['read_settings', 43],
      ['save_config', 46],
    ]),
  );
  // This change replaces text that no call has shown. The content of the file is then unknown, so its names have no
  // line.
  const blind = step('g', 'edit', { path: 'cfg.py', old_text: 'nothing', new_text: 'that was seen' }, 'ok');
  const next = checkpointOf([...events, ...blind], { previous: recorded(made) });
  expect(names(next).map((one) => (Array.isArray(one) ? one[1] : one))).toEqual([undefined, undefined]);
});

test('a search without a match is not a failed command, and commands that check the work have priority over others', () => {
  const failed = (id: string, command: string, output: string): readonly TestEvent[] => [
    answer([{ type: 'call', call: callId(id), name: 'bash', arguments: JSON.stringify({ command }) }]),
    ['tool.returned', { call: callId(id), parts: [{ type: 'text', text: output }], exit: 1 }],
  ];
  const passed = (id: string, command: string): readonly TestEvent[] => [
    answer([{ type: 'call', call: callId(id), name: 'bash', arguments: JSON.stringify({ command }) }]),
    ['tool.returned', { call: callId(id), parts: [{ type: 'text', text: 'ok' }], exit: 0 }],
  ];
  const runs = Array.from({ length: 80 }, (_, at) =>
    passed(`l${at}`, `ls -la src/some/folder/of/the/project-${at}`),
  ).flat();
  const made = checkpointOf(
    [
      created,
      ...failed('g', 'cat src/a.ts | grep -n readRows', ''),
      ...failed('h', 'FOO=1 rg readRows src', ''),
      ...failed('k', 'grep x a.ts && npm run lint', 'lint failed'),
      ...failed('m', 'git commit -m "fix lint; test the rest"', 'hook failed'),
      ...failed('n', 'npx tsc --noEmit; git diff --exit-code', 'error TS1'),
      ...passed('t', 'npm test'),
      ...runs,
    ],
    { bound: 2_000 },
  );
  const commands = made.commands.map(({ command, outcome }) => `${outcome}: ${command}`);
  expect(commands).toContain('failed: grep x a.ts && npm run lint');
  expect(commands).toContain('failed: git commit -m "fix lint; test the rest"');
  expect(commands).toContain('failed: npx tsc --noEmit; git diff --exit-code');
  expect(commands).toContain('passed: npm test');
  expect(commands.join()).not.toMatch(/failed: (?:cat|FOO)/);
  expect(made.leftOut.commands?.count).toBeGreaterThan(0);
});

test('texts of the client program are not prompts, and escape sequences and words in capitals are not names', () => {
  const source = `export const banner = 'one\\nFell \\x1b[38;5;255mBRIGHT';\nCREATE TABLE ROWS;\nuseRows();\n`;
  const made = checkpointOf([
    created,
    prompt('Fix the banner of the start page, please.'),
    prompt('[Request interrupted by user for tool use]'),
    ...step('r', 'read', { path: 'a.ts' }, source),
  ]);
  expect(made.directives).toHaveLength(1);
  expect(made.filesRead[0]?.names?.map(({ name }) => name).toSorted()).toEqual(['banner', 'useRows']);
});

const look = (id: string): AnswerPart<CallId> => ({ type: 'call', call: callId(id), name: 'look', arguments: '{}' });

test('texts that announce a call are dropped before findings', () => {
  const events = Array.from({ length: 40 }, (_, at) => [
    answer([text(`Let me check the reader of rows number ${at}:`), look(`a${at}`)]),
    answer([text(`The reader of rows number ${at} is wrong: it drops the last row.`), look(`b${at}`)]),
  ]).flat();
  const made = checkpointOf([created, ...events], { bound: 1_300 });
  const kept = made.steps.map(({ text: shown }) => shown);
  const count = (part: string): number => kept.filter((shown) => shown.includes(part)).length;
  expect(count('is wrong')).toBeGreaterThan(2 * count('Let me check'));
});

test('a turn that a compaction cut is one turn in the next checkpoint, with its real end', () => {
  const ended: TestEvent = ['turn.ended', { outcome: 'completed' }];
  const began: TestEvent = ['turn.started', { trigger: 'user' }];
  const first = [created, began, prompt('Build the reader of rows now, please.'), answer([text('I begin.')])];
  const cut = checkpointOf(first);
  expect(textOf(cut)).toContain('### Turn 1-3, under way: Build the reader');
  const events = [
    ...first,
    answer([text('It is built.')]),
    ended,
    began,
    prompt('And now test the reader of rows.'),
    answer([text('It passes.')]),
    ended,
  ];
  const next = checkpointOf(events, { previous: recorded(cut) });
  expect(next.turns).toEqual([
    { position: 1, to: 5, outcome: 'completed' },
    { position: 6, to: 9, outcome: 'completed' },
  ]);
  expect(textOf(next).match(/### Turn .*/g)).toEqual([
    '### Turn 1-5, completed: Build the reader of rows now, please.',
    '### Turn 6-9, completed: And now test the reader of rows.',
  ]);
});

test('a task that a plan reopened is listed only as open', () => {
  const plan = (id: string, status: string): readonly TestEvent[] =>
    step(id, 'plan', { tasks: [{ task: 'Write it', status }] }, 'planned');
  const made = checkpointOf([created, ...plan('a', 'open'), ...plan('b', 'done'), ...plan('c', 'open')]);
  expect([made.tasks.map(({ status }) => status), made.work]).toEqual([['open'], []]);
});

test('results are kept as a terminal shows them, without color codes and earlier states of a progress bar', () => {
  const progress = Array.from({ length: 100 }, (_, at) => `\r${at}% of readRows`).join('');
  const output = `\u001B[31mFAIL\u001B[0m src/a.test.ts:12 expected 1\r\n${progress}\r\nTests: 3 failed`;
  const shown = textOf(checkpointOf([created, ...step('a', 'bash', { command: 'npm test' }, output, true)]));
  expect(shown).toContain('FAIL src/a.test.ts:12 expected 1');
  expect(shown).not.toMatch(/\[31m|\b3% of/);
});

const REQUIREMENTS: readonly (readonly [name: string, mark: (at: number) => string])[] = [
  ['rows of a table', (at) => `| R${at} | field f${at} is validated |`],
  ['lines that begin with the id of a requirement', (at) => `REQ-${at}: field f${at} is validated, ${'d'.repeat(60)}`],
  ['a Japanese list', (at) => `${at}、項目f${at}を検証する。${'詳細'.repeat(8)}`],
  ['lines of code in a fence', (at) => `test('f${at}', () => expect(f(${at})).toBe(1));`],
];

test.each(REQUIREMENTS)('a prompt that does not fit keeps as many lines as fit: %s', (_, mark) => {
  const lines = Array.from({ length: 120 }, (__, at) => mark(at + 1));
  const fence = mark(1).startsWith('test(') ? ['```'] : [];
  const words = ['Make these hold:', ...fence, ...lines, ...fence, 'Never change the test.'].join('\n');
  const made = checkpointOf([created, prompt(words), prompt('Begin with the first ten, please.')], { bound: 1_800 });
  const [held] = made.directives;
  expect(held?.of).toBe(words.length);
  expect(held?.text).toContain('Never change the test.');
  expect(held?.text.match(/f\d+/g)?.length).toBeGreaterThan(30);
  expect(checkpointTokens(made)).toBeGreaterThan(0.8 * 1_800);
  expect(checkpointTokens(made)).toBeLessThanOrEqual(1_800);
});

test('a prompt given while the agent works is not the objective', () => {
  const steer: TestEvent = [
    'prompt.given',
    { parts: [{ type: 'text', text: 'Use the blue one of the two, please.' }], presenter: 'cli', steer: true },
  ];
  const made = checkpointOf([created, prompt('Paint the door of the house.'), steer]);
  expect(made.objective?.text).toBe('Paint the door of the house.');
});

test('an edit whose arguments have unknown names does not discard the known content of the file', () => {
  const edit = { path: 'cfg.py', from_text: 'import os', replace: 'import sys' };
  const made = checkpointOf([
    created,
    ...step('r', 'read', { path: 'cfg.py' }, CONFIG),
    ...step('e', 'edit', edit, 'ok'),
  ]);
  expect(made.filesChanged[0]?.names?.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['load_config', 'save_config']),
  );
});

test('a turn that was cut early, or that ended and was resumed, is one turn with its real end', () => {
  const began: TestEvent = ['turn.started', { trigger: 'user' }];
  const resumed: TestEvent = ['turn.resumed', { trigger: 'user' }];
  const end = (outcome: 'completed' | 'limited'): TestEvent => ['turn.ended', { outcome }];
  const first = [created, began, prompt('Build the reader of rows now, please.')];
  const whole = [
    ...first,
    answer([text('I begin.')]),
    end('limited'),
    resumed,
    answer([text('It is built.')]),
    end('completed'),
  ];
  const next = [
    ...whole,
    began,
    prompt('And now test the reader of rows.'),
    answer([text('It passes.')]),
    end('completed'),
  ];
  const turns = [
    { position: 1, to: 7, outcome: 'completed' },
    { position: 8, to: 11, outcome: 'completed' },
  ];
  expect(checkpointOf(next).turns).toEqual(turns);
  for (let cut = 3; cut < next.length; cut += 1) {
    const made = checkpointOf(next, { previous: recorded(checkpointOf(next.slice(0, cut))) });
    expect([cut, made.turns]).toEqual([cut, turns]);
  }
});

test('the content of a file is tracked across line endings, numbered pages, absolute paths and several hunks per call', () => {
  const crlf = TWO.replaceAll('\n', '\r\n');
  const edit = {
    path: 'a.ts',
    old_text: '    return 0;\n  }\n  return b * 2;',
    new_text: '    return 0;\n  }\n  return b * 3;',
  };
  const second = 'a.ts in export function second(b: number): number {';
  for (const shown of [
    crlf,
    TWO.split('\n')
      .map((line, at) => `${String(at + 1).padStart(5, '0')}| ${line}`)
      .join('\n'),
  ])
    for (const path of ['a.ts', '/w/a.ts', './a.ts'])
      expect(
        textOf(checkpointOf([created, ...step('r', 'read', { path }, shown), ...step('e', 'edit', edit, 'ok')])),
      ).toContain(second);
  const edits = [
    { oldText: '  return a;\n}', newText: '  return a;\n}\n\nfunction middle() {\n  go();\n}' },
    { oldText: '  go();', newText: '  gone();' },
  ];
  const made = checkpointOf([
    created,
    ...step('r', 'read', { path: 'a.ts' }, TWO),
    ...step('e', 'edit', { path: 'a.ts', edits }, 'ok'),
  ]);
  expect(textOf(made)).toContain('> in function middle() {');
});

test('an incomplete page does not count as the whole file, so names after it are kept', () => {
  const rest = step('r', 'read', { path: 'a.ts', offset: 40, limit: 20 }, 'export function farBelow() {\n}');
  const page = step('s', 'read', { path: 'a.ts' }, `${TWO}[Showing lines 1-13 of 60]`);
  const edit = { path: 'a.ts', old_text: '  return a;', new_text: '  return 2 * a;' };
  const made = checkpointOf([created, ...rest, ...page, ...step('e', 'edit', edit, 'ok')]);
  expect(made.filesChanged[0]?.names?.map(({ name }) => name)).toContain('farBelow');
});
