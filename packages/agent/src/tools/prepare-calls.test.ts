import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inShort, wordsOf } from '../../tests/in-short.ts';
import { READ } from '../../tests/small-session.ts';
import type { Setting } from '../../tests/small-work.ts';
import { beginWork, made } from '../../tests/small-work.ts';
import { readRules } from '../permissions/read-rules.ts';
import type { Question } from '../ports/permissions.ts';
import { NO_SECRETS } from '../ports/secrets.ts';
import type { Tool } from '../ports/tool.ts';
import type { Rule, RuleSet } from '../rules/rule.ts';
import { runCalls } from './run-calls.ts';

const never = (name: string, change: Partial<Tool> = {}): Tool =>
  made(name, () => Promise.reject(new Error('it ran')), change);

async function outcome(setting: Setting): Promise<{ readonly short: readonly string[]; readonly words: string }> {
  const { work, records } = await beginWork(setting);
  await runCalls(work);
  expect(work.session.state.history.batch).toBeUndefined();
  const all = await records();
  return { short: inShort(all), words: wordsOf(all) };
}

const asked = (text: string): Promise<{ readonly short: readonly string[]; readonly words: string }> =>
  outcome({ calls: [{ id: 'c1', name: 'look', arguments: text }], tools: [never('look')] });

describe('a call that cannot run', () => {
  test('because its tool does not exist gets the nearest name and all names', async () => {
    const { short, words } = await outcome({
      calls: [{ id: 'c1', name: 'Raed' }],
      tools: [never('write'), never('read')],
    });
    expect(short).toEqual(['tool.failed c1']);
    expect(words).toBe('There is no tool named "Raed". Did you mean "read"? The tools are: read, write.');
  });

  test('because there are no tools gets this reason', async () => {
    const { words } = await outcome({ calls: [{ id: 'c1', name: 'read' }], tools: [] });
    expect(words).toBe('There is no tool named "read", and no other tool: answer without tools.');
  });

  test.each([2_000, 100_000])(
    'because its arguments have %d levels gets this reason, without a stack overflow',
    async (depth) => {
      const { short, words } = await asked(`{"path": ${'['.repeat(depth)}${']'.repeat(depth)}}`);
      expect(short).toEqual(['tool.failed c1']);
      expect(words).toContain('nested deeper than 500 levels');
    },
  );

  test('because its JSON is invalid gets the position of the error', async () => {
    const { short, words } = await asked('{"path": "a');
    expect(short).toEqual(['tool.failed c1']);
    expect(words).toMatch(
      /^The arguments are not valid JSON: .*position 11.*Call "look" again with one JSON object\.$/,
    );
  });

  test.each([
    ['[1]', 'an array'],
    ['null', 'null'],
    ['"x"', 'a string'],
    ['7', 'a number'],
  ])('because its arguments are %s gets this reason', async (text, kind) => {
    const { words } = await asked(text);
    expect(words).toBe(`The arguments are ${kind}, not an object. Call "look" again with one JSON object.`);
  });

  test('is closed as failed for any arguments', async () => {
    const unread = never('look', { read: () => ({ problem: 'no' }) });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        const { short } = await outcome({ calls: [{ id: 'c1', name: 'look', arguments: text }], tools: [unread] });
        expect(short).toEqual(['tool.failed c1']);
      }),
      { numRuns: 50 },
    );
  });

  test("because the tool refuses its arguments gets the tool's text", async () => {
    const tool = never('look', { read: () => ({ problem: '"path" is missing' }) });
    const { short, words } = await outcome({ calls: [{ id: 'c1', name: 'look' }], tools: [tool] });
    expect([short, words]).toEqual([['tool.failed c1'], '"path" is missing']);
  });

  test('because the tool throws while reading its arguments gets the error message', async () => {
    const tool = never('look', { read: () => Promise.reject(new Error('no such folder')) });
    const { words } = await outcome({ calls: [{ id: 'c1', name: 'look' }], tools: [tool] });
    expect(words).toBe('The arguments of "look" could not be read: no such folder');
  });

  test('because it would write the placeholder of a secret is refused, in any escaped form', async () => {
    const secrets = { ...NO_SECRETS, holdsPlaceholder: (text: string) => text.includes('[secret:') };
    const call = { id: 'c1', arguments: String.raw`{"content":["\u005bsecret:KEY]"]}` };
    const tools = [
      never('write', { effect: 'write' }),
      never('bash', { effect: 'execute' }),
      made('look', () => ({ text: 'fine' })),
    ];
    for (const name of ['write', 'bash']) {
      const refused = await outcome({ calls: [{ ...call, name }], tools, secrets });
      expect(refused.short).toEqual(['tool.failed c1']);
      expect(refused.words).toContain('replaces a secret you were not shown');
      expect(refused.words).toContain('for an edit, text that ends before it or begins after it');
    }
    const read = await outcome({ calls: [{ ...call, name: 'look' }], tools, secrets });
    expect(read.words).toBe('fine');
  });

  test('does not delay or stop the other calls', async () => {
    const calls = [
      { id: 'c1', name: 'look' },
      { id: 'c2', name: 'nothing' },
      { id: 'c3', name: 'look', arguments: '[]' },
      { id: 'c4', name: 'look' },
    ];
    const { short } = await outcome({ calls, tools: [made('look', () => ({}))] });
    expect(short.filter((one) => one.startsWith('tool.'))).toEqual([
      'tool.started c1',
      'tool.failed c2',
      'tool.failed c3',
      'tool.started c4',
      'tool.returned c1',
      'tool.returned c4',
    ]);
  });
});

describe('a call without arguments', () => {
  test('runs with an empty object, because some providers stream no text for one', async () => {
    const tool = made('look', (_, input) => ({ text: JSON.stringify(input) }));
    const { words } = await outcome({ calls: [{ id: 'c1', name: 'look', arguments: ' ' }], tools: [tool] });
    expect(words).toBe('{}');
  });
});

describe('a permission', () => {
  const calls = [{ id: 'c1', name: 'change' }];
  const denied = never('change', { effect: 'write' });

  test('that the mode denies is recorded as a denial, and the model gets the mode and the rule', async () => {
    const { short, words } = await outcome({ calls, tools: [denied], mode: 'read-only' });
    expect(short).toEqual(['denied c1 by rule read-only/write', 'tool.failed c1']);
    expect(words).toBe(
      'The call of "change" (write) was denied and did not run: mode "read-only" does not allow it ' +
        '(rule read-only/write). Only the user can change that.',
    );
  });

  test('that needs a user is denied if no user can be asked, and the text gives this reason', async () => {
    const { short, words } = await outcome({ calls, tools: [denied], mode: 'ask' });
    expect(short).toEqual(['denied c1 by rule ask/write', 'tool.failed c1']);
    expect(words).toContain('mode "ask" requires the user to confirm it, and no user can be asked (rule ask/write)');
  });

  test('is asked of the user with a preview of the call and recorded as decided by a person', async () => {
    const questions: Question[] = [];
    const ask = async (question: Question): Promise<'allowed'> => {
      questions.push(question);
      return 'allowed';
    };
    const tool = made('change', () => ({}), { effect: 'write' });
    const { short } = await outcome({ calls, tools: [tool], mode: 'ask', runtime: { ask } });
    expect(questions).toEqual([
      {
        about: 'call',
        call: 'c1',
        tool: 'change',
        effect: 'write',
        title: 'change it',
        rule: 'ask/write',
        preview: { kind: 'arguments', text: '{}' },
        always: 'change (every call)',
        offer: {
          call: { tool: 'change', effect: 'write', confined: true },
          exact: { tool: 'change' },
          project: false,
        },
      },
    ]);
    expect(short).toEqual(['allowed c1 by person ask/write', 'tool.started c1', 'tool.returned c1']);
  });

  test("that the user refuses is reported to the model as the user's decision", async () => {
    const { short, words } = await outcome({
      calls,
      tools: [denied],
      mode: 'ask',
      runtime: { ask: async () => 'denied' },
    });
    expect(short).toEqual(['denied c1 by person ask/write', 'tool.failed c1']);
    expect(words).toContain('the user was asked and refused (rule ask/write)');
  });

  test('is denied with the reason if asking the user fails', async () => {
    const ask = (): Promise<'allowed'> => Promise.reject(new Error('terminal closed'));
    const { short, words } = await outcome({ calls, tools: [denied], mode: 'ask', runtime: { ask } });
    expect(short).toEqual(['denied c1 by rule ask/write', 'tool.failed c1']);
    expect(words).toContain('asking failed: terminal closed');
  });

  test('in mode auto depends on the place of a write and on the sandbox of a command', async () => {
    const outside = made('change', () => ({}), { effect: 'write', confined: false });
    expect((await outcome({ calls, tools: [outside] })).short[0]).toBe('denied c1 by rule auto/write/outside');
    const command = made('change', () => ({}), { effect: 'execute' });
    const unsandboxed = { calls, tools: [command], runtime: { allowUnsandboxed: false } };
    expect((await outcome(unsandboxed)).short[0]).toBe('denied c1 by rule auto/execute/unsandboxed');
    expect((await outcome({ ...unsandboxed, runtime: { allowUnsandboxed: true } })).short[0]).toBe(
      'allowed c1 by rule auto/execute/allow-unsandboxed',
    );
    const run = async (): Promise<object> => ({});
    const boxed: Tool = { ...command, read: () => ({ title: 'run', sandboxed: true, run }) };
    expect((await outcome({ ...unsandboxed, tools: [boxed] })).short[0]).toBe(
      'allowed c1 by rule auto/execute/sandboxed',
    );
  });

  test('that a rule allows or denies is recorded with the rule, and the model learns that it is a rule of the user', async () => {
    const effects = { commands: { plain: [['npm', 'test']], possible: [['npm', 'test']] } };
    const tool = made('bash', () => ({}), {
      effect: 'execute',
      effectKinds: ['commands'],
      read: () => ({ title: 'bash npm test', effects, run: async () => ({}) }),
    });
    const under = (decision: Rule['decision'], command: string): RuleSet => {
      const rules = readRules([{ decision, tool: 'bash', commands: [command] }], [tool]);
      if ('problems' in rules) throw new Error(rules.problems.join());
      return rules;
    };
    const bash = [{ id: 'c1', name: 'bash' }];
    const ruled = (decision: Rule['decision'], command: string): ReturnType<typeof outcome> =>
      outcome({ calls: bash, tools: [tool], mode: 'ask', runtime: { rules: under(decision, command) } });
    expect((await ruled('allow', 'npm test')).short[0]).toBe('allowed c1 by rule allow bash "npm test"');
    expect((await ruled('allow', 'npm run')).short[0]).toBe('denied c1 by rule ask/execute');
    const { short, words } = await ruled('deny', 'npm');
    expect(short).toEqual(['denied c1 by rule deny bash "npm"', 'tool.failed c1']);
    expect(words).toBe(
      'The call of "bash" (execute) was denied and did not run: a rule of the user does not allow it ' +
        '(rule deny bash "npm"). Only the user can change that.',
    );
    const held = await ruled('ask', 'npm');
    expect(held.words).toContain('a rule of the user requires the user to confirm it, and no user can be asked');
  });

  test('follows a mode that is changed between two calls', async () => {
    const tools = [made('change', () => ({}), { effect: 'write' })];
    const small = await beginWork({ calls: [...calls, { id: 'c2', name: 'change' }], tools });
    small.session.watchers.add((record) => {
      if (record.kind === 'tool.returned') small.session.progress.mode = 'read-only';
    });
    await runCalls(small.work);
    expect(inShort(await small.records())).toEqual([
      'allowed c1 by rule auto/write/inside',
      'tool.started c1',
      'tool.returned c1',
      'denied c2 by rule read-only/write',
      'tool.failed c2',
    ]);
  });
});

describe('a call of a tool that the epoch lists but that is no longer there', () => {
  test('is recorded as unavailable, because it is not an error of the model', async () => {
    const calls = [{ id: 'c1', name: 'read' }];
    const { short } = await outcome({ calls, tools: [never('reed')], listed: [READ] });
    expect(short).toEqual(['tool.abandoned c1 unavailable']);
  });
});
