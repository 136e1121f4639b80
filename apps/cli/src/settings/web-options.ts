// Options of the tools for the web, from the settings and the key of the search service.

import { defined } from '@tidemark/core';
import type { AgentOptions, WebSearch } from '@tidemark/kit';
import { BRAVE_VARIABLE, createBraveSearch } from '@tidemark/kit';
import type { Settings } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { withStyle } from '../frame/shown.ts';
import { searchKeyOf } from './key-presence.ts';

/**
 * Returns the option `web` of an agent. Sessions have `fetch` unless the settings turn it off. They have `web_search`
 * only if the settings name a service.
 */
export async function webOptions(
  { web = {} }: Settings,
  context: Pick<CommandContext, 'environment' | 'keyring' | 'output'>,
): Promise<NonNullable<AgentOptions['web']>> {
  const { fetch, allowPrivate, search = 'off', searchUrl } = web;
  return defined({ fetch, allowPrivate, search: search === 'off' ? undefined : await searchAt(searchUrl, context) });
}

/** Without a key, the tool stays in the list, because another list would change the cached prefix. Its calls fail. */
async function searchAt(
  baseURL: string | undefined,
  context: Pick<CommandContext, 'environment' | 'keyring' | 'output'>,
): Promise<WebSearch> {
  const apiKey = await searchKeyOf(context);
  if (apiKey === undefined)
    context.output.note([
      withStyle('yellow', 'notice'),
      `: the web search has no key: set ${BRAVE_VARIABLE}, or store a key with \`tidemark keys set brave\``,
    ]);
  return createBraveSearch(defined({ apiKey, baseURL }));
}
