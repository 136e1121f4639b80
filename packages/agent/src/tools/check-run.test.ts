// Tests wrong values from the functions of a tool. Such a value fails the call, raises a notice, and leaves the session
// usable.

import { describe, expect, test } from 'vitest';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import type { Tool } from '../ports/tool.ts';
import { readRules } from '../permissions/read-rules.ts';
import { problemOfPreview, problemOfRun } from './check-run.ts';

/** Returns a tool whose run has these fields, which may be of any type. */
function toolWith(fields: object): Tool {
  const effects = { paths: [{ path: 'a' }] };
  const run = { title: 'save', effects, run: async () => ({ text: 'saved' }), ...fields };
  return {
    name: 'save',
    description: 'Saves.',
    schema: { type: 'object' },
    effect: 'write',
    effectKinds: ['paths'],
    read: () => Object.assign(Object.create(null), run),
  };
}

const rules = readRules([{ decision: 'deny', tool: 'save', paths: ['secrets'] }], [toolWith({})]);

describe('a tool with an error of its author', () => {
  test.each<[string, object, string]>([
    ['a preview that is a text', { preview: async () => 'text' }, '`preview` returned a string: return { kind'],
    [
      'a preview without a text',
      { preview: async () => ({ kind: 'diff' }) },
      '`preview` returned an object with wrong',
    ],
    ['paths that are a text', { effects: { paths: 'a.txt' } }, '`describeEffects.paths` returned a string'],
    ['paths without `path`', { effects: { paths: [{ file: 'a' }] } }, 'return a list of { path }'],
    ['paths in a promise', { effects: { paths: Promise.resolve([]) } }, 'returned a promise'],
    ['hosts that are a text', { effects: { hosts: 'a.com' } }, '`describeEffects.hosts` returned a string'],
    ['commands without lists', { effects: { commands: ['ls'] } }, '`describeEffects.commands` returned a list'],
    ['a title that is a number', { title: 5 }, '`title` returned a number: return a string'],
    ['a `confined` that is a text', { confined: 'yes' }, '`confined` returned a string: return true or false'],
  ])('fails the call and raises a notice for %s', async (_case, fields, problem) => {
    if ('problems' in rules) throw new Error(rules.problems.join());
    const provider = answering(calls(['c1', 'save']), says('Well.'), says('More.'));
    const runtime = { tools: [toolWith(fields)], rules, ask: async () => true, allowUnsandboxed: false };
    const { live, records, shelf } = await goLive({ provider, runtime, open: { mode: 'ask' } });
    const events = await Array.fromAsync(live.prompt('go'));
    expect(events.flatMap((event) => (event.type === 'notice.raised' ? [event.notice] : []))).toMatchObject([
      { code: 'tools/bad-tool', message: expect.stringContaining(`the tool "save" has an error: `) },
    ]);
    const failed = (await records()).find(({ kind }) => kind === 'tool.failed');
    expect(JSON.stringify(failed)).toContain(JSON.stringify(problem).slice(1, -1));
    await live.close();
    const again = await goLive({ provider, runtime, shelf });
    expect((await again.live.prompt('go on')).outcome).toBe('completed');
    await again.live.close();
  });

  test('raises a notice if it throws while it reads the arguments', async () => {
    const tool: Tool = {
      ...toolWith({}),
      read: () => {
        throw new Error('no title');
      },
    };
    const { live } = await goLive({
      provider: answering(calls(['c1', 'save']), says('Well.')),
      runtime: { tools: [tool] },
    });
    const events = await Array.fromAsync(live.prompt('go'));
    expect(events).toContainEqual({
      type: 'notice.raised',
      notice: expect.objectContaining({ code: 'tools/bad-tool', message: expect.stringContaining('no title') }),
    });
    await live.close();
  });
});

test('`problemOfRun` and `problemOfPreview` accept fields that are inherited from a class', () => {
  class Run {
    get title(): string {
      return 'save';
    }
    run(): object {
      return {};
    }
  }
  expect(problemOfRun(new Run())).toBeUndefined();
  expect(problemOfPreview({ kind: 'arguments', text: '' })).toBeUndefined();
  expect(problemOfRun(undefined)).toBe('`read` did not return an object with `title` and `run`');
});
