import type { DefinitionQuestion } from '@tidemark/agent';
import type { PermissionAnswer } from '@tidemark/kit';
import { expect, test } from 'vitest';

import { askPerson } from './ask-person.ts';
import type { Input } from '../frame/input.ts';

function inputOf(ask: Input['ask']): Input {
  return {
    terminal: true,
    piped: false,
    bytes: async () => Buffer.from(''),
    along: async () => Buffer.from(''),
    rows: 40,
    columns: 80,
    show: () => undefined,
    ask,
  };
}

const definition: DefinitionQuestion = {
  about: 'definition',
  tool: 'shop__pay',
  title: 'shop__pay changed its description',
  rule: 'ask/definition',
  was: { name: 'shop__pay', description: 'Pays.', schema: { type: 'object' } },
  is: { name: 'shop__pay', description: 'Pays.\u202E all', schema: { type: 'object', required: ['to'] } },
};

async function answered(
  answers: readonly string[],
): Promise<{ readonly answer: PermissionAnswer; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const input = inputOf(async (question) => {
    asked.push(question);
    return answers[asked.length - 1] ?? '';
  });
  const answer = await askPerson(definition, { input, signal: new AbortController().signal });
  return { answer, asked };
}

test('a changed tool definition is shown completely, with its arguments and with suspicious characters marked', async () => {
  const { answer, asked } = await answered(['y']);
  expect(answer).toBe('allowed');
  expect(asked[0]).toContain('│   "description": "Pays."');
  expect(asked[0]).toContain('│   "description": "Pays.⟨U+202E⟩ all"');
  expect(asked[0]).toContain('│       "to"');
});

test('an unclear answer is asked about once more, and then counts as denied', async () => {
  expect((await answered(['ok', 'y'])).answer).toBe('allowed');
  const { answer, asked } = await answered(['ok', 'yes please', 'y']);
  expect([answer, asked.length]).toEqual(['denied', 2]);
});

test('an aborted question counts as denied, and an error of the terminal is thrown', async () => {
  const gone = new AbortController();
  const cut = inputOf(async () => {
    gone.abort();
    throw new Error('aborted');
  });
  expect(await askPerson(definition, { input: cut, signal: gone.signal })).toBe('denied');
  const broken = inputOf(() => Promise.reject(new Error('EIO')));
  await expect(askPerson(definition, { input: broken, signal: new AbortController().signal })).rejects.toThrow('EIO');
});
