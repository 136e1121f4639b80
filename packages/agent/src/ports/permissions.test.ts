import type { EffectClass } from '@tidemark/log';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { judge, narrower } from '../permissions/judge.ts';
import type { Asker, Mode, PermissionAnswer } from './permissions.ts';
import { isYes, requireAnswer } from './permissions.ts';

const MODES: readonly Mode[] = ['read-only', 'ask', 'accept-edits', 'auto'];
const EFFECTS: readonly EffectClass[] = ['none', 'read', 'write', 'execute', 'network'];

/** Returns each distinct verdict of a mode as `decision rule`. */
function cells(mode: Mode): readonly string[] {
  const found = new Set<string>();
  for (const effect of EFFECTS) {
    for (const confined of [true, false]) {
      for (const sandboxed of [true, false]) {
        const { decision, rule } = judge({ mode, effect, confined, sandboxed });
        found.add(`${decision} ${rule}`);
      }
    }
  }
  return [...found];
}

describe('the permission matrix', () => {
  test('denies writing, executing and the network in mode `read-only`', () => {
    expect(cells('read-only')).toEqual([
      'allowed read-only/none',
      'allowed read-only/read',
      'denied read-only/write',
      'denied read-only/execute',
      'denied read-only/network',
    ]);
  });

  test('asks before writing, executing and the network in mode `ask`', () => {
    expect(cells('ask')).toEqual([
      'allowed ask/none',
      'allowed ask/read',
      'asks ask/write',
      'asks ask/execute',
      'asks ask/network',
    ]);
  });

  test('asks in mode `auto` before a write outside the workspace and before an unsandboxed command', () => {
    expect(cells('auto')).toEqual([
      'allowed auto/none',
      'allowed auto/read',
      'allowed auto/write/inside',
      'asks auto/write/outside',
      'allowed auto/execute/sandboxed',
      'asks auto/execute/unsandboxed',
      'allowed auto/network/sandboxed',
      'asks auto/network/unsandboxed',
    ]);
  });

  test('allows in mode `accept-edits` only edits of named files in the workspace', () => {
    expect(cells('accept-edits')).toEqual([
      'allowed accept-edits/none',
      'allowed accept-edits/read',
      'asks accept-edits/write/protected',
      'asks accept-edits/write/outside',
      'asks accept-edits/execute',
      'asks accept-edits/network',
    ]);
    const write = { mode: 'accept-edits', effect: 'write', sandboxed: false, edits: true } as const;
    expect(judge({ ...write, confined: true })).toEqual({ decision: 'allowed', rule: 'accept-edits/write/inside' });
    expect(judge({ ...write, confined: false }).decision).toBe('asks');
  });

  test('names the setting, and no sandbox, where the user allows calls without a sandbox', () => {
    const permission = { mode: 'auto', confined: false, allowUnsandboxed: true } as const;
    const verdicts = [
      judge({ ...permission, effect: 'execute', sandboxed: false }),
      judge({ ...permission, effect: 'network', sandboxed: false }),
      judge({ ...permission, effect: 'execute', sandboxed: true }),
      judge({ ...permission, effect: 'write', sandboxed: false }),
      judge({ ...permission, effect: 'execute', sandboxed: false, mode: 'ask' }),
    ];
    expect(verdicts.map(({ decision, rule }) => `${decision} ${rule}`)).toEqual([
      'allowed auto/execute/allow-unsandboxed',
      'allowed auto/network/allow-unsandboxed',
      'allowed auto/execute/sandboxed',
      'asks auto/write/outside',
      'asks ask/execute',
    ]);
  });

  test('ignores the sandbox for a write, and the workspace boundary for a command', () => {
    const permission = { mode: 'auto', confined: false, sandboxed: true } as const;
    expect(judge({ ...permission, effect: 'write' }).decision).toBe('asks');
    expect(judge({ ...permission, effect: 'execute' }).decision).toBe('allowed');
  });

  test('applies the rule `beyond-sandbox` only in mode `auto` and only to a sandboxed command', () => {
    const permission = { effect: 'execute', confined: true, sandboxed: true, beyond: true } as const;
    const verdicts = MODES.map((mode) => judge({ ...permission, mode }));
    expect(verdicts.map(({ decision, rule }) => `${decision} ${rule}`)).toEqual([
      'denied read-only/execute',
      'asks ask/execute',
      'asks accept-edits/execute',
      'asks auto/execute/beyond-sandbox',
    ]);
    const unheld = judge({ ...permission, mode: 'auto', sandboxed: false });
    expect(unheld).toEqual({ decision: 'asks', rule: 'auto/execute/unsandboxed' });
    expect(judge({ ...permission, mode: 'auto', effect: 'write' }).decision).toBe('allowed');
  });

  test('`narrower` returns the mode that allows less, in either order of its arguments', () => {
    const pairs = MODES.flatMap((a) => MODES.map((b) => narrower(a, b)));
    expect(pairs).toEqual(
      [
        ['read-only', 'read-only', 'read-only', 'read-only'],
        ['read-only', 'ask', 'ask', 'ask'],
        ['read-only', 'ask', 'accept-edits', 'accept-edits'],
        ['read-only', 'ask', 'accept-edits', 'auto'],
      ].flat(),
    );
  });
});

/** Passes a value of any type, as a program in JavaScript can do. */
const read = (value: unknown): PermissionAnswer => Reflect.apply(requireAnswer, undefined, [value]);

describe('the answer of `permissions.ask`', () => {
  test('may be a denial without a text, and a yes without a grant', () => {
    expect(isYes(read({ decision: 'denied' }))).toBe(false);
    expect(isYes(read({ decision: 'allowed' }))).toBe(true);
  });

  test.each([
    [{ decision: 'denied', reason: 5 }, /a `reason` that is not a string/],
    [{ decision: 'allowed', always: 'save', keep: 'session' }, /a badly formed grant/],
    [{ decision: 'allowed', always: { tool: 'save', paths: 'a' } }, /a badly formed grant/],
    [{ decision: 'allowed', always: { tool: 'save', path: ['a'] } }, /a badly formed grant/],
    [{ decision: 'allowed', always: { tool: 'bash', commands: ['ls'] } }, /a badly formed grant/],
    [{ decision: 'allowed', always: { tool: 'save' }, keep: 'always' }, /`keep` that is not "session" or "project"/],
    [null, /returned null/],
    ['yes', /returned "yes"/],
  ])('is refused with the accepted forms if it is %j', (answer, message) => {
    expect(() => read(answer)).toThrow(expect.objectContaining({ code: 'agent/bad-argument' }));
    expect(() => read(answer)).toThrow(message);
    expect(() => read(answer)).toThrow(/return true, false, "allowed"/);
  });

  test('may be returned with or without a promise', () => {
    expectTypeOf(() => true).toExtend<Asker>();
    expectTypeOf(() => 'always' as const).toExtend<Asker>();
    const late: Asker = async () => 'denied';
    expectTypeOf(late).toExtend<Asker>();
  });
});
