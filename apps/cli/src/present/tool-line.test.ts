// Tests the short forms of a call and of a duration.

import { expect, test } from 'vitest';

import { callTitle, duration } from './tool-line.ts';

test.each([
  ['{"path":"src/tax.js"}', 'read src/tax.js'],
  ['{"limit":3,"path":"a"}', 'read a'],
  ['{"command":"npm test\\nrm x"}', 'read npm test…'],
  ['{}', 'read'],
  ['[1]', 'read'],
  ['{"path":"src/t', 'read'],
  [JSON.stringify({ text: 'x'.repeat(200) }), `read ${'x'.repeat(72)}…`],
])('`callTitle` names a call with the arguments %s', (text, title) => {
  expect(callTitle('read', text)).toBe(title);
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
  '`callTitle` names a call of a tool called %s',
  (name) => {
    expect(callTitle(name, '{"path":"src/tax.js"}')).toBe(`${name} src/tax.js`);
    expect(callTitle(name, '{}')).toBe(name);
  },
);

test('`callTitle` uses two arguments if one does not identify the call', () => {
  const file = '{"name":"tax","file":"references/rates.md"}';
  expect(callTitle('skill_load', file)).toBe('skill_load tax references/rates.md');
  expect(callTitle('skill_load', '{"name":"tax"}')).toBe('skill_load tax');
  const update = '{"file":"MEMORY.md","text":"- One.","operation":"add"}';
  expect(callTitle('memory_update', update)).toBe('memory_update add MEMORY.md');
});

test('`callTitle` names the pattern and the place of a search', () => {
  const search = { path: 'src', glob: '*.ts', pattern: 'TODO' };
  expect(callTitle('grep', JSON.stringify(search))).toBe('grep TODO in src (*.ts)');
  expect(callTitle('grep', '{"pattern":"TODO"}')).toBe('grep TODO');
  expect(callTitle('find', '{"path":"src","glob":"*.ts"}')).toBe('find *.ts in src');
  expect(callTitle('find', '{}')).toBe('find');
});

test.each([
  [0.4, '0 ms'],
  [820, '820 ms'],
  [4_120, '4.1 s'],
  [125_000, '2 min 5 s'],
])('`duration` formats %d milliseconds for people', (ms, said) => {
  expect(duration(ms)).toBe(said);
});
