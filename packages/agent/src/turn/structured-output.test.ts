// Tests structured output: `prompt(words, { output })` asks for JSON, checks the answer, and returns the value.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answering, goLive, heldBy, says } from '../../tests/small-live.ts';

const invoice = z.object({ total: z.number(), lines: z.array(z.string()).min(1) });
const GOOD = '{"total": 3, "lines": ["a"]}';

function fail(): never {
  throw new Error('no such letter');
}

describe('a prompt with `output`', () => {
  test('returns the parsed value', async () => {
    const { live } = await goLive({ provider: answering(says(GOOD)) });
    const turn = await live.prompt('Read the invoice.', { output: invoice });
    expect(turn).toMatchObject({ outcome: 'completed', text: GOOD, output: { total: 3, lines: ['a'] } });
    const total: number | undefined = turn.output?.total;
    expect(total).toBe(3);
  });

  test('puts the JSON Schema into the prompt, so it is in the log and in the request', async () => {
    const provider = answering(says(GOOD));
    const { live, records } = await goLive({ provider });
    await live.prompt('Read the invoice.', { output: invoice });
    const given = (await records()).find(({ kind }) => kind === 'prompt.given');
    expect(given?.data).toMatchObject({
      parts: [{ text: 'Read the invoice.' }, { text: expect.stringContaining('"total"') }],
    });
    expect(heldBy(provider.sent[0]?.body ?? new Uint8Array()).join()).toContain('JSON Schema');
  });

  test('accepts JSON in a code fence', async () => {
    const { live } = await goLive({ provider: answering(says(`\`\`\`json\n${GOOD}\n\`\`\``)) });
    expect((await live.prompt('Read it.', { output: invoice })).output).toEqual({ total: 3, lines: ['a'] });
  });

  test('applies the transforms of the schema to the value', async () => {
    const { live } = await goLive({ provider: answering(says('{"at": "2026-01-02"}')) });
    const output = z.object({ at: z.string().transform((text) => new Date(text).getUTCFullYear()) });
    expect((await live.prompt('When?', { output })).output).toEqual({ at: 2026 });
  });

  test.each([
    ['text that is not JSON', 'It is three.', 'the answer is not JSON'],
    ['an empty answer', ' ', 'the answer is empty'],
    ['a value of another shape', '{"total": "3", "lines": []}', '`total` must be a number, got "3"; `lines` must be'],
  ])('asks the model to correct %s, in the same turn', async (_case, bad, problem) => {
    const provider = answering(says(bad), says(GOOD));
    const { live, records } = await goLive({ provider });
    expect(await live.prompt('Read it.', { output: invoice })).toMatchObject({
      outcome: 'completed',
      output: { total: 3 },
      totals: { steps: 2 },
    });
    const notes = (await records()).filter(({ kind }) => kind === 'notification.received');
    expect(notes.map(({ data }) => data)).toMatchObject([
      { source: 'runtime', body: expect.stringContaining(problem) },
    ]);
  });

  test('ends the turn as failed after three answers that do not match', async () => {
    const { live } = await goLive({ provider: answering(says('one'), says('two'), says('three'), says('four')) });
    expect(await live.prompt('Read it.', { output: invoice })).toMatchObject({
      outcome: 'failed',
      text: 'three',
      output: undefined,
      error: {
        code: 'turn/output-mismatch',
        message: expect.stringContaining('after 3 attempts: the answer is not JSON'),
      },
    });
    expect(await live.prompt('And now?')).toMatchObject({ outcome: 'completed', text: 'four', output: undefined });
  });

  test('has no value if the turn does not complete', async () => {
    const { live } = await goLive({ provider: answering(says(GOOD)), runtime: { limits: { tokens: 1 } } });
    expect(await live.prompt('Read it.', { output: invoice })).toMatchObject({ outcome: 'limited', output: undefined });
  });

  test.each([
    ['with Windows line ends', `\`\`\`json\r\n${GOOD}\r\n\`\`\``],
    ['with a space before its language', `\`\`\` json\n${GOOD}\n\`\`\``],
  ])('accepts a code fence %s', async (_case, answer) => {
    const { live } = await goLive({ provider: answering(says(answer)) });
    expect((await live.prompt('Read it.', { output: invoice })).output).toEqual({ total: 3, lines: ['a'] });
  });

  test('asks the model to correct an answer that is nested too deep, and the session continues', async () => {
    const tree: z.ZodType = z.lazy(() => z.object({ next: tree.optional() }));
    const deep = `${'{"next":'.repeat(1_000)}{}${'}'.repeat(1_000)}`;
    const { live } = await goLive({ provider: answering(says(deep), says('{"next":{}}'), says('Hello.')) });
    expect(await live.prompt('Grow a tree.', { output: tree })).toMatchObject({ output: { next: {} } });
    expect(await live.prompt('Hello.')).toMatchObject({ outcome: 'completed' });
  });

  test.each([
    ['transform', z.string().transform(() => fail())],
    ['refinement', z.string().refine(() => fail())],
  ])('ends the turn as failed if a %s of the schema throws, and the session continues', async (_case, output) => {
    const { live } = await goLive({ provider: answering(says('"a"'), says('Hello.')) });
    expect(await live.prompt('Say a.', { output })).toMatchObject({
      outcome: 'failed',
      text: '"a"',
      error: { code: 'turn/output-unchecked', message: expect.stringContaining('no such letter') },
    });
    expect(await live.prompt('Hello.')).toMatchObject({ outcome: 'completed' });
  });

  test('can be interrupted while a refinement of the schema waits, also by the refinement itself', async () => {
    const { live } = await goLive({ provider: answering(says('"a"'), says('Hello.')) });
    const never = new Promise<boolean>(() => undefined);
    const output = z.string().refine(async () => {
      await live.interrupt();
      return never;
    });
    expect(await live.prompt('Say a.', { output })).toMatchObject({ outcome: 'interrupted', output: undefined });
    expect(await live.prompt('Hello.')).toMatchObject({ outcome: 'completed' });
  });

  test('checks an answer once', async () => {
    const checks: string[] = [];
    const output = z.string().transform((text) => checks.push(text));
    const { live } = await goLive({ provider: answering(says('"a"')) });
    expect(await live.prompt('Say a.', { output })).toMatchObject({ output: 1 });
  });

  test('refuses a schema that cannot be written as JSON Schema, before anything is recorded', async () => {
    const { live, records } = await goLive({ provider: answering() });
    const before = (await records()).length;
    expect(() => live.prompt('When?', { output: z.date() })).toThrow(
      expect.objectContaining({ code: 'agent/no-schema' }),
    );
    expect(await records()).toHaveLength(before);
  });
});

test('a prompt without `output` has no value', async () => {
  const { live } = await goLive({ provider: answering(says(GOOD)) });
  expect((await live.prompt('Hello.')).output).toBeUndefined();
});
