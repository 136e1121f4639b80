import { describe, expect, it } from 'vitest';
import { named, newHash, second } from '../../tests/log-of.ts';
import { cacheKey } from './epoch.ts';
import type { KeyInput } from './epoch.ts';
import { addCall, NO_PACE } from '../state/call-times.ts';
import { sessionId } from '@tidemark/log';

const FAMILY: KeyInput = { contract: 'tm1', model: 'gpt-5.1', root: 's1', tools: [named('read')] };

const keyOf = (change: Partial<KeyInput> = {}): string => cacheKey({ ...FAMILY, ...change }, newHash);

describe('a cache key', () => {
  it('is 55 characters: the contract’s name and hex digits', () => {
    expect(keyOf()).toMatch(/^tm1(\.[0-9a-f]{12}){4}$/);
    expect(keyOf()).toHaveLength(55);
    expect(keyOf()).toBe('tm1.5b98e349b996.0fc346867412.9c67c24ea5c2.74234e98afe7');
  });

  it('changes only in the part for the changed input; a stream with its own key changes the root part', () => {
    const differs = (change: Partial<KeyInput>): readonly number[] => {
      const [was, is] = [keyOf(), keyOf(change)].map((key) => key.split('.'));
      return (was ?? []).flatMap((part, place) => (part === is?.[place] ? [] : [place]));
    };
    expect(differs({ model: 'gpt-5' })).toEqual([1]);
    expect(differs({ root: 's2' })).toEqual([2]);
    expect(differs({ stream: 's3' })).toEqual([2]);
    expect(differs({ tools: [] })).toEqual([3]);
    expect(differs({ skills: named('index') })).toEqual([4]);
  });

  it('contains only the contract and the root if the provider routes by itself', () => {
    const automatic = { routing: 'automatic' } as const;
    expect(keyOf(automatic)).toBe(keyOf().split('.').toSpliced(3).toSpliced(1, 1).join('.'));
    expect(keyOf({ ...automatic, model: 'gpt-6-sol', tools: [], stream: 's3' })).toBe(keyOf(automatic));
  });
});

describe('the pace of calls', () => {
  const session = sessionId('child');
  const after = (seconds: readonly number[], isRoot: boolean): string | undefined =>
    seconds.reduce((pace, at) => addCall(pace, second(at), session, isRoot), NO_PACE).own;
  const eight = [0, 7, 14, 21, 28, 35, 42, 49];

  it('makes a child leave the family’s key with the ninth call of a minute, not with the eighth', () => {
    expect(after(eight, false)).toBeUndefined();
    expect(after([...eight, 59], false)).toBe('child');
    expect(after([...eight, 60], false)).toBeUndefined();
  });

  it('keeps a child on its own key, even if it is slow afterwards', () => {
    expect(after([...eight, 59, 600, 1_200], false)).toBe('child');
  });

  it('keeps the root on the family’s key', () => {
    expect(after([...eight, 50, 51, 52], true)).toBeUndefined();
  });
});
