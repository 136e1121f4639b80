// Options of the tools for the web, from the settings and the key of the search service.

import { defined } from '@tidemark/core';
import type { AgentOptions, BraveSearchOptions, WebSearch } from '@tidemark/kit';
import { BRAVE_VARIABLE, createBraveSearch } from '@tidemark/kit';
import type { Settings } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { withStyle } from '../frame/shown.ts';
import { searchKeyOf } from './key-presence.ts';

/** Parts of the command that the options need: variables, the keyring, and notices. */
interface WebContext extends Pick<CommandContext, 'environment' | 'keyring'> {
  readonly output: Pick<CommandContext['output'], 'note'>;
}

/**
 * Returns the option `web` of an agent. Sessions have `fetch` unless the settings turn it off. They have `web_search`
 * only if the settings name a service.
 */
export async function webOptions(
  { web = {} }: Settings,
  provider: AgentOptions['provider'],
  context: WebContext,
): Promise<NonNullable<AgentOptions['web']>> {
  const { fetch, allowPrivate } = web;
  return defined({ fetch, allowPrivate, search: await searchOf(web, provider, context) });
}

async function searchOf(
  { search = 'off', searchUrl, searchPrice }: NonNullable<Settings['web']>,
  provider: AgentOptions['provider'],
  context: WebContext,
): Promise<WebSearch | 'provider' | undefined> {
  if (search === 'off') return undefined;
  if (search === 'brave') return searchAt(defined({ baseURL: searchUrl, price: searchPrice }), context);
  if (provider === undefined || provider === 'anthropic' || provider === 'openai') return 'provider';
  const name = typeof provider === 'string' ? provider : 'of this session';
  context.output.note([
    withStyle('yellow', 'notice'),
    `: the provider ${name} has no search of the web, so the session has no web_search: set \`web.search\` to brave`,
  ]);
  return undefined;
}

/** Without a key, the tool stays in the list, because another list would change the cached prefix. Its calls fail. */
async function searchAt(
  options: Pick<BraveSearchOptions, 'baseURL' | 'price'>,
  context: WebContext,
): Promise<WebSearch> {
  const apiKey = await searchKeyOf(context);
  if (apiKey === undefined)
    context.output.note([
      withStyle('yellow', 'notice'),
      `: the web search has no key: set ${BRAVE_VARIABLE}, or store a key with \`tidemark keys set brave\``,
    ]);
  return createBraveSearch({ ...options, ...defined({ apiKey }) });
}
