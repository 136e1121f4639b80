// Tests a grant from the answer `always` over a whole session: it is recorded, applied, and limited to this session.

import type { Granted } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { answering, calls, goLive, heldBy, says } from '../../tests/small-live.ts';
import { readRules } from '../permissions/read-rules.ts';
import type { PermissionAnswer, Question } from '../ports/permissions.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Tool } from '../ports/tool.ts';
import { createSecrets } from '../secrets/create-secrets.ts';

const SHELL: Tool = {
  name: 'sh',
  description: 'Runs words.',
  schema: { type: 'object' },
  effect: 'execute',
  effectKinds: ['commands'],
  read: (input) => {
    const words = String(JSON.parse(JSON.stringify(input)).words).split(' ');
    return {
      title: words.join(' '),
      effects: { commands: { plain: [words], possible: [words] } },
      run: async () => ({ text: 'ran' }),
    };
  },
};

const runs = (id: string, words: string): ReturnType<typeof calls> => calls([id, 'sh', JSON.stringify({ words })]);

/** Returns a user who always gives this answer, and the list of questions asked. */
function person(answer: PermissionAnswer): { readonly asked: string[]; readonly runtime: Partial<Runtime> } {
  const asked: string[] = [];
  const ask = async (question: Question): Promise<PermissionAnswer> => {
    asked.push(`${question.title}: ${question.about === 'call' ? (question.always ?? 'once') : question.about}`);
    return answer;
  };
  return { asked, runtime: { ask, tools: [SHELL], allowUnsandboxed: false } };
}

describe('the answer `always`', () => {
  test('allows the same call without a question, is recorded, and remains after a restart', async () => {
    const { asked, runtime } = person('always');
    const provider = answering(runs('c1', 'npm test'), runs('c2', 'npm test'), runs('c3', 'npm run x'), says('Done.'));
    const first = await goLive({ provider, runtime, open: { mode: 'ask' } });
    await first.live.prompt('go');
    expect(asked).toEqual(['npm test: sh "npm test"', 'npm run x: sh "npm run x"']);
    const decided = (await first.records()).flatMap((one) => (one.kind === 'permission.decided' ? [one.data] : []));
    expect(decided).toMatchObject([
      { decision: 'allowed', by: 'person', rule: 'ask/execute', always: { tool: 'sh', commands: [['npm', 'test']] } },
      { decision: 'allowed', by: 'rule', rule: 'always sh "npm test"' },
      { by: 'person' },
    ]);
    await first.live.close();
    const again = answering(runs('c4', 'npm test'), says('Done.'));
    const second = await goLive({ provider: again, runtime, shelf: first.shelf });
    await second.live.prompt('once more');
    expect(asked).toHaveLength(2);
    await second.live.close();
  });

  test('allows every call of a tool that reports no commands, paths or hosts, also after a restart', async () => {
    const save: Tool = {
      name: 'save',
      description: 'Saves.',
      schema: { type: 'object' },
      effect: 'write',
      read: (input) => ({ title: `save ${JSON.stringify(input)}`, run: async () => ({ text: 'saved' }) }),
    };
    const { asked, runtime: base } = person('always');
    const runtime = { ...base, tools: [save] };
    const provider = answering(calls(['c1', 'save', '{"a":1}']), calls(['c2', 'save', '{"a":2}']), says('Done.'));
    const first = await goLive({ provider, runtime, open: { mode: 'ask' } });
    await first.live.prompt('go');
    await first.live.close();
    const again = answering(calls(['c3', 'save', '{"a":3}']), says('Done.'));
    const second = await goLive({ provider: again, runtime, shelf: first.shelf });
    await second.live.prompt('once more');
    expect(asked).toEqual(['save {"a":1}: save (every call)']);
    await second.live.close();
  });

  test('applies to this session only, so a fork asks again', async () => {
    const { asked, runtime } = person('always');
    const provider = answering(runs('c1', 'npm test'), says('Done.'), runs('c2', 'npm test'), says('Done.'));
    const { live } = await goLive({ provider, runtime, open: { mode: 'ask' } });
    await live.prompt('go');
    const fork = await live.fork();
    await fork.prompt('go on');
    expect(asked).toHaveLength(2);
    await fork.close();
    await live.close();
  });

  test('is not implied by a plain yes', async () => {
    const { asked, runtime } = person('allowed');
    const provider = answering(runs('c1', 'npm test'), runs('c2', 'npm test'), says('Done.'));
    const { live } = await goLive({ provider, runtime, open: { mode: 'ask' } });
    await live.prompt('go');
    expect(asked).toHaveLength(2);
    await live.close();
  });

  test('does not override a rule or a mode that asks or denies', async () => {
    const rules = readRules([{ decision: 'ask', tool: 'sh', commands: ['git push'] }], [SHELL]);
    if ('problems' in rules) throw new Error(rules.problems.join());
    const { asked, runtime } = person('always');
    const provider = answering(runs('c1', 'git push'), runs('c2', 'git push'), runs('c3', 'ls'), says('Done.'));
    const { live, shelf } = await goLive({ provider, runtime: { ...runtime, rules }, open: { mode: 'ask' } });
    await live.prompt('go');
    expect(asked).toEqual(['git push: once', 'git push: once', 'ls: sh "ls"']);
    await live.setMode('read-only');
    await live.close();
    const after = await goLive({ provider: answering(runs('c4', 'ls'), says('Done.')), runtime, shelf });
    await after.live.prompt('go on');
    const last = (await after.records()).findLast(({ kind }) => kind === 'permission.decided');
    expect(last?.data).toMatchObject({ decision: 'denied', rule: 'read-only/execute' });
    await after.live.close();
  });

  test('is not offered for a command that contains a secret, because the log keeps no secret', async () => {
    const { asked, runtime } = person('always');
    const secrets = createSecrets({ values: [{ name: 'KEY', value: 'aVerySecretValue42' }] });
    const provider = answering(runs('c1', 'curl aVerySecretValue42'), says('Done.'));
    const { live, records } = await goLive({ provider, runtime, open: { mode: 'ask', secrets } });
    await live.prompt('go');
    expect(asked).toEqual(['curl aVerySecretValue42: once']);
    expect(JSON.stringify((await records()).filter(({ kind }) => kind === 'permission.decided'))).not.toContain(
      'Secret',
    );
    await live.close();
  });

  test.each([
    ['is what the question shows', { kind: 'command', text: 'a | b $X' }, 'sh exactly "a | b $X"'],
    ['differs from the preview', { kind: 'command', text: 'a' }, 'once'],
    ['is not shown completely', { kind: 'command', text: 'a | b $X', unseen: 'it is too long' }, 'once'],
  ] as const)('offers the exact text of a call only if it %s', async (_, preview, offered) => {
    const shell: Tool = {
      ...SHELL,
      read: () => ({
        title: 'a',
        effects: { commands: { plain: undefined, possible: [], script: 'a | b $X' } },
        preview: async () => preview,
        run: async () => ({ text: 'ran' }),
      }),
    };
    const { asked, runtime } = person('always');
    const provider = answering(runs('c1', 'a'), runs('c2', 'a'), says('Done.'));
    const { live } = await goLive({ provider, runtime: { ...runtime, tools: [shell] }, open: { mode: 'ask' } });
    await live.prompt('go');
    expect(asked).toEqual(offered === 'once' ? ['a: once', 'a: once'] : [`a: ${offered}`]);
    await live.close();
  });

  test('for a project applies in every session of the project, including forks, until it is revoked', async () => {
    const kept: Granted[] = [{ tool: 'sh', patterns: ['npm test *'] }];
    const grants = { kept: async () => kept, keep: async () => undefined };
    const { asked, runtime } = person('denied');
    const provider = answering(
      runs('c1', 'npm test'),
      says('Done.'),
      runs('c2', 'npm test src'),
      says('Done.'),
      runs('c3', 'npm test src'),
      says('Done.'),
    );
    const { live, records } = await goLive({ provider, runtime: { ...runtime, grants }, open: { mode: 'ask' } });
    await live.prompt('go');
    const fork = await live.fork();
    await fork.prompt('go on');
    expect(asked).toEqual([]);
    const decided = (await records()).flatMap((one) => (one.kind === 'permission.decided' ? [one.data.rule] : []));
    expect(decided).toEqual(['always sh "npm test *" (project)']);
    kept.length = 0;
    await fork.prompt('once more');
    expect(asked).toHaveLength(1);
    await fork.close();
    await live.close();
  });

  test('for a project does not override a rule or a mode that asks or denies', async () => {
    const grants = {
      kept: async () => [
        {
          tool: 'sh',
          commands: [
            ['git', 'push'],
            ['git', 'status'],
          ],
        },
      ],
      keep: async () => undefined,
    };
    const rules = readRules([{ decision: 'ask', tool: 'sh', commands: ['git push'] }], [SHELL]);
    if ('problems' in rules) throw new Error(rules.problems.join());
    const { asked, runtime } = person('denied');
    const provider = answering(runs('c1', 'git push'), says('Done.'), runs('c2', 'git status'), says('Done.'));
    const { live, records } = await goLive({ provider, runtime: { ...runtime, grants, rules }, open: { mode: 'ask' } });
    await live.prompt('go');
    expect(asked).toEqual(['git push: once']);
    await live.setMode('read-only');
    await live.prompt('go on');
    const last = (await records()).findLast(({ kind }) => kind === 'permission.decided');
    expect(last?.data).toMatchObject({ decision: 'denied', rule: 'read-only/execute' });
    await live.close();
  });
});

describe('a denial with words', () => {
  test('is in the next request to the model', async () => {
    const bodies: Uint8Array[] = [];
    const ask = async (): Promise<PermissionAnswer> => ({
      decision: 'denied',
      reason: 'because the tests are slow: run one',
    });
    const provider = answering(runs('c1', 'npm test'), says('Done.'));
    const onRequest = (body: Uint8Array): void => void bodies.push(body);
    const runtime = { ask, onRequest, tools: [SHELL], allowUnsandboxed: false };
    const { live } = await goLive({ provider, runtime, open: { mode: 'ask' } });
    await live.prompt('go');
    expect(bodies.map((body) => heldBy(body).join('\n')).at(-1)).toContain(
      'The user refused: because the tests are slow: run one',
    );
    await live.close();
  });
});
