// Tests the notices about calls that are denied because an option is not set.

import { expect, test } from 'vitest';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import type { Live } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { EffectClass } from '@tidemark/log';
import type { Mode } from '../ports/permissions.ts';
import { readRules } from '../permissions/read-rules.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Notice } from '../ports/session-event.ts';

/** Opens a session whose model calls the tool `make` in each of two turns. */
function open(mode: Mode, effect: EffectClass, runtime: Partial<Runtime>): Promise<Live> {
  const tool = made('make', () => ({ text: 'made' }), { effect });
  const provider = answering(calls(['c1', 'make'], ['c2', 'make']), says('a'), calls(['c3', 'make']), says('b'));
  return goLive({ provider, runtime: { tools: [tool], allowUnsandboxed: false, ...runtime }, open: { mode } });
}

async function noticesOf({ live }: Live): Promise<readonly Notice[]> {
  const turns = [live.prompt('one'), live.prompt('two')];
  const events = (await Promise.all(turns.map((turn) => Array.fromAsync(turn)))).flat();
  return events.flatMap((event) => (event.type === 'notice.raised' ? [event.notice] : []));
}

test.each<[Mode, EffectClass, Partial<Runtime>, string, RegExp]>([
  ['read-only', 'write', { modeIsDefault: true }, 'permissions/default-mode', /^Set `permissions.mode` to "auto", or/],
  [
    'read-only',
    'execute',
    { modeIsDefault: true },
    'permissions/default-mode',
    /^Set `permissions.ask` .*tool: 'make'/,
  ],
  [
    'auto',
    'network',
    {},
    'permissions/no-asker',
    /tool: 'make' \}\]`, or allow all such calls with `permissions.allowUn/,
  ],
  ['ask', 'write', {}, 'permissions/no-asker', /^Set `permissions.ask`, or allow the tool with `permissions.rules/],
])(
  'a denied call in mode %s with the effect %s raises one notice per session',
  async (mode, effect, runtime, code, next) => {
    const notices = await noticesOf(await open(mode, effect, runtime));
    expect(notices).toEqual([
      {
        code,
        message: expect.stringContaining(`the call of "make" (${effect}) was denied: `),
        next: expect.stringMatching(next),
      },
    ]);
  },
);

test('the notice about a write outside of the workspace names only `permissions.ask`', async () => {
  const provider = answering(calls(['c1', 'make']), says('a'), says('b'));
  const outside = made('make', () => ({ text: 'made' }), { effect: 'write' });
  const tool = { ...outside, read: async (input: unknown) => ({ ...(await outside.read(input)), confined: false }) };
  const live = await goLive({ provider, runtime: { tools: [tool] }, open: { mode: 'auto' } });
  expect(await noticesOf(live)).toEqual([expect.objectContaining({ next: 'Set `permissions.ask`.' })]);
});

const denies = readRules([{ decision: 'deny', tool: 'make' }], [{ name: 'make' }]);

test.each<[string, Mode, Partial<Runtime>]>([
  ['a mode that the author chose', 'read-only', {}],
  ['a rule', 'auto', { modeIsDefault: true, ...('problems' in denies ? {} : { rules: denies }) }],
  ['a person', 'ask', { modeIsDefault: true, ask: async () => 'denied' }],
])('a call that %s denies raises no notice', async (_case, mode, runtime) => {
  const live = await open(mode, 'write', runtime);
  expect(await noticesOf(live)).toEqual([]);
  expect((await live.kinds()).filter((kind) => kind === 'tool.failed')).toHaveLength(3);
});

test('a call that the mode of `setMode` denies raises no notice', async () => {
  const opened = await open('read-only', 'write', { modeIsDefault: true });
  await opened.live.setMode('read-only');
  expect(await noticesOf(opened)).toEqual([]);
});
