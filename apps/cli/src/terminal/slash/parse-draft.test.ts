import { expect, test } from 'vitest';

import { asPrompt, parseDraft } from './parse-draft.ts';

test.each([
  ['/cost', { kind: 'slash', name: 'cost', text: '' }],
  ['/Model opus 4.8\n', { kind: 'slash', name: 'model', text: 'opus 4.8' }],
  ['/review a\nb', { kind: 'slash', name: 'review', text: 'a\nb' }],
  ['/', { kind: 'slash', name: 'help', text: '' }],
  ['/tmp is full', { kind: 'slash', name: 'tmp', text: 'is full' }],
  ['!npm test', { kind: 'shell', line: 'npm test' }],
  ['! ls', { kind: 'shell', line: 'ls' }],
  ['!', { kind: 'shell', line: '' }],
])('`parseDraft` treats %j as a command', (draft, command) => {
  expect(parseDraft(draft)).toEqual(command);
  expect(parseDraft(asPrompt(draft))).toBeUndefined();
});

test.each([
  '/etc/hosts is empty',
  '// TODO: why?',
  '/* a comment */',
  ' /cost',
  ' !ls',
  'a /cost',
  '/skill tax now',
  '/2',
])('`parseDraft` treats %j as a prompt', (draft) => {
  expect(parseDraft(draft)).toBeUndefined();
  expect(asPrompt(draft)).toBe(draft);
});
