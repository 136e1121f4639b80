// Tests the preview that a user sees before an answer, the scope of the answer yes, and the grants and texts in an
// answer.

import type { Granted } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { inShort, wordsOf } from '../../tests/in-short.ts';
import type { SmallWork } from '../../tests/small-work.ts';
import { beginWork, gate, made } from '../../tests/small-work.ts';
import { readRules } from '../permissions/read-rules.ts';
import type { CallQuestion, PermissionAnswer, Question } from '../ports/permissions.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Tool, ToolContext, ToolPreview, ToolRun } from '../ports/tool.ts';
import { createSecrets } from '../secrets/create-secrets.ts';
import { previewDigest } from './ask-about-call.ts';
import { runCalls } from './run-calls.ts';

interface ShownTool {
  readonly tool: Tool;
  readonly approved: readonly (ToolPreview | undefined)[];
  /** Number of previews that were made. */
  readonly made: () => number;
}

/**
 * Returns a tool that makes these previews in order and then repeats the last one. The tool records the approved
 * previews.
 */
function shown(previews: readonly (string | Error)[], run: Partial<ToolRun> = {}): ShownTool {
  const approved: (ToolPreview | undefined)[] = [];
  let count = 0;
  const tool: Tool = {
    name: 'change',
    description: 'Changes a file.',
    schema: { type: 'object' },
    effect: 'write',
    effectKinds: ['paths'],
    read: () => ({
      title: 'change a',
      effects: { paths: [{ path: 'src/a.ts' }] },
      preview: async () => {
        const next = previews[Math.min(count, previews.length - 1)] ?? '';
        count += 1;
        if (next instanceof Error) throw next;
        return { kind: 'diff', text: next, base: `state of ${next}` };
      },
      run: async (context: ToolContext) => {
        approved.push(context.approved);
        return {};
      },
      ...run,
    }),
  };
  return { tool, approved, made: () => count };
}

interface Asked extends SmallWork {
  readonly questions: readonly CallQuestion[];
}

async function asked(
  tool: Tool,
  answers: readonly PermissionAnswer[],
  runtime: Partial<Runtime> = {},
  secrets: Secrets = createSecrets({ values: [] }),
): Promise<Asked> {
  const questions: CallQuestion[] = [];
  const ask = async (question: Question): Promise<PermissionAnswer> => {
    if (question.about === 'call') questions.push(question);
    return answers[Math.min(questions.length, answers.length) - 1] ?? 'denied';
  };
  const call = { id: 'c1', name: tool.name, arguments: '{"b":{"c":[1,"ä"]},"a":"x"}' };
  const small = await beginWork({
    calls: [call],
    tools: [tool],
    mode: 'ask',
    secrets,
    runtime: { ask, allowUnsandboxed: false, ...runtime },
  });
  await runCalls(small.work);
  return { ...small, questions };
}

const decidedIn = async ({ records }: SmallWork): Promise<object> => {
  const found = (await records()).find((record) => record.kind === 'permission.decided');
  return found?.data ?? {};
};

describe('the preview of a call', () => {
  test('is in the question, and the run receives the approved preview', async () => {
    const { tool, approved } = shown(['+one']);
    const ran = await asked(tool, ['allowed']);
    const preview = { kind: 'diff', text: '+one', base: 'state of +one' } as const;
    expect(ran.questions.map((one) => one.preview)).toEqual([preview]);
    expect(approved).toEqual([preview]);
    expect(await decidedIn(ran)).toMatchObject({ decision: 'allowed', by: 'person', shown: previewDigest(preview) });
  });

  test('shows the arguments as JSON if the tool makes no preview', async () => {
    const ran = await asked(
      made('change', () => ({}), { effect: 'write' }),
      ['allowed'],
    );
    const text = '{\n  "b": {\n    "c": [\n      1,\n      "ä"\n    ]\n  },\n  "a": "x"\n}';
    expect(ran.questions.map(({ preview }) => preview)).toEqual([{ kind: 'arguments', text }]);
  });

  test('is not made if no user is asked', async () => {
    const { tool, made: count, approved } = shown(['+one']);
    const small = await beginWork({ calls: [{ id: 'c1', name: 'change' }], tools: [tool], mode: 'auto' });
    await runCalls(small.work);
    expect([count(), approved]).toEqual([0, [undefined]]);
    const none = await beginWork({ calls: [{ id: 'c1', name: 'change' }], tools: [tool], mode: 'ask' });
    await runCalls(none.work);
    expect(count()).toBe(0);
  });

  test('is shown again if it changed before the yes, and the new one is approved', async () => {
    const { tool, approved } = shown(['+one', '+two']);
    const ran = await asked(tool, ['allowed', 'allowed']);
    expect(ran.questions.map(({ preview, again }) => [preview.text, again])).toEqual([
      ['+one', undefined],
      ['+two', true],
    ]);
    expect(approved.map((one) => one?.text)).toEqual(['+two']);
  });

  test('that changed is denied if the second answer is no, even after a first yes', async () => {
    const { tool, approved } = shown(['+one', '+two']);
    const ran = await asked(tool, ['always', 'denied']);
    expect(approved).toEqual([]);
    expect(await decidedIn(ran)).toMatchObject({ decision: 'denied', by: 'person' });
    expect(await decidedIn(ran)).not.toHaveProperty('always');
  });

  test('that changes after each yes is denied after five questions, with the reason', async () => {
    const { tool, approved } = shown(['1', '2', '3', '4', '5', '6', '7', '8']);
    const ran = await asked(
      tool,
      Array.from({ length: 9 }, () => 'allowed'),
    );
    expect([ran.questions.length, approved]).toEqual([5, []]);
    expect(wordsOf(await ran.records())).toContain('changed after each of 5 answers');
  });

  test("that cannot be made closes the call with the tool's message, and the user is not asked", async () => {
    const { tool, approved } = shown([new Error('old_text is not in a.ts')]);
    const ran = await asked(tool, ['allowed']);
    expect([ran.questions, approved]).toEqual([[], []]);
    expect(inShort(await ran.records())).toEqual(['tool.failed c1']);
    expect(wordsOf(await ran.records())).toBe('old_text is not in a.ts');
  });

  test('that cannot be made gives an error without quotes from a file if the call goes outside the workspace or if any rule forbids something', async () => {
    const outside = await asked(shown([new Error('SECRET line')], { confined: false }).tool, ['allowed']);
    const rules = readRules(
      [{ decision: 'deny', tool: 'read', paths: ['src'] }],
      [{ name: 'read', effectKinds: ['paths'] }],
    );
    if ('problems' in rules) throw new Error(rules.problems.join());
    const ruled = await asked(shown([new Error('SECRET line')]).tool, ['allowed'], { rules });
    for (const ran of [outside, ruled]) {
      expect(wordsOf(await ran.records())).toContain('the user was not asked');
      expect(wordsOf(await ran.records())).not.toContain('SECRET');
    }
  });

  test('that is interrupted while it is made decides nothing', async () => {
    const { opened, open } = gate();
    const hanging = shown([''], {
      preview: () => {
        open();
        return new Promise(() => undefined);
      },
    });
    const ask = async (): Promise<PermissionAnswer> => 'allowed';
    const calls = [{ id: 'c1', name: 'change' }];
    const small = await beginWork({ calls, tools: [hanging.tool], mode: 'ask', runtime: { ask } });
    const ended = runCalls(small.work);
    await opened;
    small.interrupt();
    await ended;
    expect(inShort(await small.records())).toEqual(['tool.abandoned c1 unstarted']);
  });
});

describe('an answer', () => {
  test('that refuses with a text passes the text to the model', async () => {
    const ran = await asked(shown(['+one']).tool, [{ decision: 'denied', reason: ' because it uses tabs ' }]);
    const records = await ran.records();
    expect(inShort(records)).toEqual(['denied c1 by person ask/write', 'tool.failed c1']);
    expect(wordsOf(records)).toMatch(
      /asked and refused \(rule ask\/write\).*\nThe user refused: because it uses tabs$/,
    );
    const long = await asked(shown(['+one']).tool, [{ decision: 'denied', reason: 'x'.repeat(5_000) }]);
    expect(wordsOf(await long.records())).toMatch(/refused: x{2000}…$/);
  });

  test('of an unknown kind counts as a no', async () => {
    for (const answer of ['yes', '', 1, null, undefined, {}, { decision: 'yes' }, { allowed: true }]) {
      const { tool, approved } = shown(['+one']);
      // The answer is converted through JSON, because a program without types could pass such a value.
      await asked(tool, [JSON.parse(JSON.stringify(answer ?? 'none'))]);
      expect(approved, JSON.stringify(answer)).toEqual([]);
    }
  });

  test('`always` to a write gives no grant for other content', async () => {
    const { tool, approved } = shown(['+one']);
    const ran = await asked(tool, ['always']);
    expect(ran.questions.map(({ always, offer }) => [always, offer?.exact])).toEqual([[undefined, undefined]]);
    expect(approved).toHaveLength(1);
    expect(ran.session.progress.sessionGrants).toEqual([]);
    expect(await decidedIn(ran)).not.toHaveProperty('always');
  });

  test('with a folder is recorded as a grant for everything below that folder', async () => {
    const always: Granted = { tool: 'change', folders: ['src'] };
    const ran = await asked(shown(['+one']).tool, [{ decision: 'allowed', always, keep: 'session' }]);
    expect(await decidedIn(ran)).toMatchObject({ decision: 'allowed', always });
    expect(ran.session.progress.sessionGrants).toEqual([always]);
  });

  test.each<Granted>([
    { tool: 'change', folders: ['lib'] },
    { tool: 'change', folders: [''] },
    { tool: 'other', folders: ['src'] },
    { tool: 'change', paths: ['src/a.ts'], folders: ['..'] },
  ])('with a grant that does not fit the call counts as a no: %j', async (always) => {
    const { tool, approved } = shown(['+one']);
    const ran = await asked(tool, [{ decision: 'allowed', always, keep: 'session' }]);
    expect(approved).toEqual([]);
    expect(await decidedIn(ran)).toMatchObject({ decision: 'denied', by: 'rule' });
    expect(ran.session.progress.sessionGrants).toEqual([]);
  });

  test('with a grant for the project stores it in the project, records this, and adds no session grant', async () => {
    const kept: Granted[] = [];
    const grants = { kept: async () => kept, keep: async (grant: Granted) => void kept.push(grant) };
    const always: Granted = { tool: 'change', folders: ['src'] };
    const ran = await asked(shown(['+one']).tool, [{ decision: 'allowed', always, keep: 'project' }], { grants });
    expect(kept).toEqual([always]);
    expect(await decidedIn(ran)).toMatchObject({ always, kept: 'project' });
    expect(ran.session.progress.sessionGrants).toEqual([]);
    const next = await asked(shown(['+two']).tool, [], { grants });
    expect(next.questions).toEqual([]);
    expect(inShort(await next.records())[0]).toBe('allowed c1 by rule always change "src/" (project)');
    kept.length = 0;
    expect((await asked(shown(['+two']).tool, [], { grants })).questions).toHaveLength(1);
  });

  test('with a grant for the project gives a session grant and a notice if it cannot be stored', async () => {
    const broken = async (): Promise<never> => {
      throw new Error('the disk is full');
    };
    const always: Granted = { tool: 'change', folders: ['src'] };
    const answer: PermissionAnswer = { decision: 'allowed', always, keep: 'project' };
    const grants = { kept: broken, keep: broken };
    const ran = await asked(shown(['+one']).tool, [answer], { grants });
    expect(ran.session.progress.sessionGrants).toEqual([always]);
    expect(ran.told).toMatchObject([{ type: 'notice.raised', notice: { code: 'permissions/grant-not-kept' } }]);
    expect(ran.questions).toHaveLength(1);
  });

  test('cannot carry a grant for a call that contains a secret', async () => {
    const questions: Question[] = [];
    const ask = async (question: Question): Promise<PermissionAnswer> => {
      questions.push(question);
      return 'allowed';
    };
    const effects = { paths: [{ path: 'src/aVerySecretValue42' }] };
    const small = await beginWork({
      calls: [{ id: 'c1', name: 'change' }],
      tools: [shown(['+one'], { effects }).tool],
      mode: 'ask',
      secrets: createSecrets({ values: [{ name: 'KEY', value: 'aVerySecretValue42' }] }),
      runtime: { ask },
    });
    await runCalls(small.work);
    expect(questions).toHaveLength(1);
    expect(questions[0]).not.toHaveProperty('offer');
  });
});

const savesText = (change: Partial<ToolRun> = {}): Tool => ({
  ...made('save', () => ({}), { effect: 'write' }),
  read: () => ({ title: 'save', run: async () => ({}), ...change }),
});

describe('a tool that reports no commands, paths or hosts', () => {
  test('offers `always` for every call, for the session and not for the project', async () => {
    const grants = { kept: async () => [{ tool: 'save' }], keep: async () => undefined };
    const ran = await asked(savesText(), ['always'], { grants });
    expect(ran.questions.map(({ always, offer }) => [always, offer?.exact, offer?.project])).toEqual([
      ['save (every call)', { tool: 'save' }, false],
    ]);
    expect(await decidedIn(ran)).toMatchObject({ decision: 'allowed', always: { tool: 'save' } });
    expect(ran.session.progress.sessionGrants).toEqual([{ tool: 'save' }]);
    expect(ran.told).toEqual([]);
  });

  test('gets a session grant and a notice if the answer asks for a project grant', async () => {
    const kept: Granted[] = [];
    const grants = { kept: async () => kept, keep: async (grant: Granted) => void kept.push(grant) };
    const ran = await asked(savesText(), [{ decision: 'allowed', always: { tool: 'save' }, keep: 'project' }], {
      grants,
    });
    expect([kept, ran.session.progress.sessionGrants]).toEqual([[], [{ tool: 'save' }]]);
    expect(ran.told).toMatchObject([
      { notice: { code: 'permissions/grant-not-kept', message: expect.stringContaining('applies to one session') } },
    ]);
  });
});

describe('an answer that is an object', () => {
  test('without a text or a grant decides about this call, without a notice', async () => {
    const denied = await asked(savesText(), [{ decision: 'denied' }]);
    expect(await decidedIn(denied)).toMatchObject({ decision: 'denied', by: 'person' });
    const allowed = await asked(savesText(), [{ decision: 'allowed' }]);
    expect(await decidedIn(allowed)).toMatchObject({ decision: 'allowed', by: 'person' });
    expect(await decidedIn(allowed)).not.toHaveProperty('always');
    expect([denied.told, allowed.told]).toEqual([[], []]);
  });

  test('with a grant that is badly formed or does not fit the call denies it, and raises a notice', async () => {
    const malformed = await asked(savesText(), [JSON.parse('{"decision":"allowed","always":"save"}')]);
    const unfit = await asked(savesText(), [{ decision: 'allowed', always: { tool: 'other' } }]);
    for (const ran of [malformed, unfit])
      expect(await decidedIn(ran)).toMatchObject({ decision: 'denied', by: 'rule' });
    expect([...malformed.told, ...unfit.told]).toMatchObject([
      { notice: { code: 'permissions/ask-failed', message: expect.stringContaining('a badly formed grant') } },
      { notice: { code: 'permissions/bad-grant', message: expect.stringContaining('the grant is for other') } },
    ]);
  });
});

describe('the answer `always` that gives no grant', () => {
  test.each<[Tool, Partial<Runtime>, RegExp]>([
    [savesText({ confined: false }), {}, /the call writes outside the workspace$/],
    [shown(['+one']).tool, {}, /another call may write other content to the same paths$/],
    [savesText(), { rules: [{ decision: 'ask', tool: 'save' }] }, /a rule asks about each such call$/],
  ])('raises a notice with the reason', async (tool, runtime, reason) => {
    const ran = await asked(tool, ['always'], runtime);
    expect(await decidedIn(ran)).toMatchObject({ decision: 'allowed', by: 'person' });
    expect(ran.told).toMatchObject([
      { type: 'notice.raised', notice: { code: 'permissions/grant-not-kept', message: expect.stringMatching(reason) } },
    ]);
  });
});

describe('a grant in an answer', () => {
  test('makes the answer a denial if no grant was offered', async () => {
    const { tool } = shown(['+one'], { effects: {} });
    const always: Granted = { tool: 'change', paths: ['src/a.ts'] };
    const ran = await asked(tool, [{ decision: 'allowed', always, keep: 'session' }]);
    expect(ran.questions[0]?.offer).toBeUndefined();
    expect(await decidedIn(ran)).toMatchObject({ decision: 'denied', by: 'rule' });
    expect(JSON.stringify(await ran.records())).toContain('no grant was offered');
  });

  test('that contains a secret is not kept, and only this call is allowed', async () => {
    const { tool, approved } = shown(['+one']);
    const secret = ['ghp', 'Zx9Kq2Lm7Wd4Zx9Kq2Lm7Wd4Zx9Kq2Lm7Wd4'].join('_');
    const always: Granted = { tool: 'change', paths: ['src/a.ts', secret] };
    const kept: Granted[] = [];
    const grants = { kept: async () => kept, keep: async (grant: Granted) => void kept.push(grant) };
    const ran = await asked(tool, [{ decision: 'allowed', always, keep: 'project' }], { grants });
    expect(kept).toEqual([]);
    expect(approved).toHaveLength(1);
    const decided = await decidedIn(ran);
    expect(decided).toMatchObject({ decision: 'allowed', by: 'person' });
    expect(decided).not.toHaveProperty('always');
    expect(JSON.stringify(await ran.records())).not.toContain(secret);
  });
});

describe('a question', () => {
  const rules = readRules([{ decision: 'ask', tool: 'change' }], [{ name: 'change', effectKinds: ['paths'] }]);

  test('offers grants if the mode asks, but not if a rule of the user asks', async () => {
    const byMode = await asked(shown(['+one']).tool, ['denied']);
    expect(byMode.questions[0]?.offer).toBeDefined();
    if ('problems' in rules) throw new Error(rules.problems.join());
    const byRule = await asked(shown(['+one']).tool, ['denied'], { rules });
    expect(byRule.questions[0]).toBeDefined();
    expect(byRule.questions[0]?.offer).toBeUndefined();
    expect(byRule.questions[0]?.always).toBeUndefined();
  });
});
