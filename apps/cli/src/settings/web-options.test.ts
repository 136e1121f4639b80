// Tests the service of `web_search` that the settings choose, and the notices about a service that cannot be used.

import type { CommandOutput } from '../frame/output.ts';
import type { Shown } from '../frame/shown.ts';
import type { Keyring } from '@tidemark/settings';
import { expect, test } from 'vitest';
import { webOptions } from './web-options.ts';

const EMPTY: Keyring = { get: async () => undefined, set: async () => undefined, remove: async () => false };

/** Returns the kind of search that an agent gets, and the notices. */
async function searchOf(
  search: 'off' | 'brave' | 'provider',
  provider?: 'anthropic' | 'openai' | 'openrouter',
): Promise<readonly [string | undefined, string]> {
  const notices: Shown[] = [];
  const output: Pick<CommandOutput, 'note'> = { note: (notice) => void notices.push(notice) };
  const found = await webOptions({ web: { search } }, provider, { environment: {}, keyring: EMPTY, output });
  const kind = typeof found.search === 'object' ? found.search.name : found.search;
  return [kind, JSON.stringify(notices)];
}

test('the search of a provider is used only for a provider that has one', async () => {
  expect(await searchOf('provider', 'anthropic')).toEqual(['provider', '[]']);
  expect(await searchOf('provider', 'openai')).toEqual(['provider', '[]']);
  // Without a name, the provider is Anthropic.
  expect(await searchOf('provider')).toEqual(['provider', '[]']);
  const [kind, notices] = await searchOf('provider', 'openrouter');
  expect(kind).toBeUndefined();
  expect(notices).toContain('the provider openrouter has no search of the web');
});

test('a service without a key is kept, and a notice names the next step', async () => {
  const [kind, notices] = await searchOf('brave');
  expect(kind).toBe('Brave Search');
  expect(notices).toContain('tidemark keys set brave');
  expect(await searchOf('off')).toEqual([undefined, '[]']);
});
