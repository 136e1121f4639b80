// Contract of shared texts. One session saves a shared text, and other sessions of the same store read it. Shared texts
// are derived data. A store may lose a text, but it never returns only a part of a text (L9).

import { describe, expect } from 'vitest';
import type { SharedTexts } from '../../src/port.ts';
import type { LogFactory } from '../log-under-test.ts';
import { claim } from '../with-store.ts';

export function claimShared(factory: LogFactory): void {
  describe('a shared text', () => {
    claim(
      factory,
      'is missing at first, is read unchanged, and is replaced by the latest one',
      async ({ log, reopen }) => {
        const shared = sharedOf(log);
        expect(await shared.get('warm-fronts')).toBeUndefined();
        for (const text of ['one', 'with \u2028 and \n lines', '']) {
          await shared.put('warm-fronts', text);
          expect([await shared.get('warm-fronts'), await sharedOf(reopen()).get('warm-fronts')]).toEqual([text, text]);
        }
      },
    );

    claim(factory, 'is complete after several writes at the same time', async ({ log, reopen }) => {
      const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000));
      await Promise.all(texts.map((text) => sharedOf(log).put('warm-fronts', text)));
      expect(texts).toContain(await sharedOf(reopen()).get('warm-fronts'));
    });
  });
}

function sharedOf({ shared }: { readonly shared?: SharedTexts }): SharedTexts {
  if (shared === undefined) throw new Error('the store keeps no shared texts');
  return shared;
}
