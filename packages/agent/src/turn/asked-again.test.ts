// Tests a process that ends while a question to the user is open. Nothing was decided, and no answer is assumed.

import { describe, expect, test } from 'vitest';
import { inShort } from '../../tests/in-short.ts';
import type { Live } from '../../tests/small-live.ts';
import { answering, calls, cutShelf, goLive, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import { readRules } from '../permissions/read-rules.ts';
import type { Question } from '../ports/permissions.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Tool } from '../ports/tool.ts';

function changing(): { readonly tool: Tool; readonly ran: string[] } {
  const ran: string[] = [];
  const run = ({ call }: { readonly call: string }): object => {
    ran.push(call);
    return { text: 'changed' };
  };
  return { ran, tool: made('change', run, { effect: 'write' }) };
}

/** Runs a session until it asks the user, and opens the session again from its log at that moment, as after a crash. */
async function reopened(runtime: Partial<Runtime>, mode?: 'auto' | 'read-only'): Promise<Live & { ran: string[] }> {
  const before = changing();
  const provider = answering(calls(['c1', 'change']), says('done'));
  const stuck = Promise.withResolvers<void>();
  const ask = async (): Promise<'allowed'> => {
    stuck.resolve();
    return new Promise(() => undefined);
  };
  const dying = await goLive({ provider, runtime: { tools: [before.tool], ask }, open: { mode: 'ask' } });
  void dying.live.prompt('go');
  await stuck.promise;
  const length = (await dying.records()).length;
  expect((await dying.kinds()).includes('permission.decided')).toBe(false);
  const { tool, ran } = changing();
  const shelf = cutShelf(dying.shelf, length);
  const next = answering(says('done'));
  const open = mode === undefined ? { create: false } : { create: false, mode };
  const live = await goLive({ provider: next, shelf, runtime: { tools: [tool], ...runtime }, open });
  return { ...live, ran };
}

const decisions = async ({ records }: Live): Promise<readonly string[]> =>
  inShort((await records()).filter(({ kind }) => kind === 'permission.decided'));

describe('a question that was open when the process ended', () => {
  test('is asked again, and the new answer applies', async () => {
    for (const answer of ['allowed', 'denied'] as const) {
      const questions: Question[] = [];
      const ask = async (question: Question): Promise<typeof answer> => {
        questions.push(question);
        return answer;
      };
      const live = await reopened({ ask });
      await live.live.resume();
      expect(questions).toMatchObject([{ about: 'call', call: 'c1', rule: 'ask/write' }]);
      expect(await decisions(live)).toEqual([`${answer} c1 by person ask/write`]);
      expect(live.ran).toEqual(answer === 'allowed' ? ['c1'] : []);
    }
  });

  test('is a denial if no user can be asked any more', async () => {
    const live = await reopened({});
    await live.live.resume();
    expect(await decisions(live)).toEqual(['denied c1 by rule ask/write']);
    expect(live.ran).toEqual([]);
  });

  test('is not answered by a wider mode from the command line', async () => {
    const live = await reopened({}, 'auto');
    expect(live.live.mode).toBe('ask');
    await live.live.resume();
    expect(live.ran).toEqual([]);
  });

  test('is a denial if the mode was narrowed in the meantime or a rule denies the call', async () => {
    const narrowed = await reopened({ ask: async () => 'allowed' }, 'read-only');
    await narrowed.live.resume();
    expect(await decisions(narrowed)).toEqual(['denied c1 by rule read-only/write']);
    const rules = readRules([{ decision: 'deny', tool: 'change' }], [{ name: 'change' }]);
    if ('problems' in rules) throw new Error(rules.problems.join());
    const ruled = await reopened({ ask: async () => 'allowed', rules });
    await ruled.live.resume();
    expect(await decisions(ruled)).toEqual(['denied c1 by rule deny change']);
    expect([...narrowed.ran, ...ruled.ran]).toEqual([]);
  });
});
