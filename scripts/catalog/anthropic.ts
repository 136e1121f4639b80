// Catalog rows of Anthropic. Limits, floors and prices come from the facts. Rules by family and version come from
// provider-facts §1.

import type { Capabilities, ImageInput, PriceList } from '@tidemark/model';
import { readClaudeName } from '@tidemark/model';

import { type Fact, floorOf, notesOf, priceListOf } from './fact.ts';

type Rules = Pick<
  Capabilities,
  'window' | 'thinkingStripped' | 'prefixCheck' | 'appends' | 'prefill' | 'forcedToolChoice'
>;

/**
 * First part of the prefix whose cached tokens are lost if a setting changes, by name of the setting (§1.3). `images`
 * is not a setting. It stands for two changes: the first image enters the request, or the last image leaves it. For
 * thinking and effort, the documentation calls the loss of tokens before the messages "model-specific", but the loss of
 * the messages themselves occurs on every model.
 */
const RENDER_PARAMETERS: Capabilities['renderParameters'] = {
  model: 'tools',
  speed: 'system',
  webSearch: 'system',
  citations: 'system',
  tool_choice: 'messages',
  disable_parallel_tool_use: 'messages',
  images: 'messages',
  thinking: 'messages',
  effort: 'messages',
};

const RENDER_NOTE =
  'whether a change of thinking or effort also loses tools and system is model-specific and not published: messages is assumed';

/**
 * Kinds of content that each model accepts in the middle of a conversation. The source is §1.3. For `tools`, and for
 * Haiku and Sonnet 5.5, the source is the profiles of `@langchain/anthropic` 1.5.13 (2026-10-20).
 */
const APPENDS: ReadonlyMap<string, Capabilities['appends']> = new Map(
  Object.entries<Capabilities['appends']>({
    'claude-opus-4-8': ['system', 'tools'],
    'claude-fable-5': ['system', 'tools'],
    'claude-mythos-5': ['system', 'tools'],
    'claude-haiku-5-5': ['system', 'tools'],
    'claude-opus-5': ['system', 'reasoning', 'tools'],
    'claude-opus-5-5': ['system', 'reasoning', 'tools'],
    'claude-sonnet-5-5': ['system', 'reasoning', 'tools'],
    'claude-fable-5-1': ['system', 'reasoning', 'tools'],
    'claude-mythos-5-1': ['system', 'reasoning', 'tools'],
    'claude-fable-5-2': ['system', 'reasoning', 'tools'],
    'claude-mythos-5-2': ['system', 'reasoning', 'tools'],
  }),
);

/** Notes about single models that the facts do not express in a field. */
const NOTES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'claude-fable-5-2': 'appends carried over from 5.1',
    'claude-mythos-5-2': 'appends carried over from 5.1',
    'claude-haiku-5-5':
      'prefix check by its migration guide (2026-10: keep a conversation append-only); whether it takes effort in a message is not known',
  }),
);

const TOOLS_NOTE =
  'changes of tools are system messages behind a user turn and before an assistant turn, beta inline-tools-2026-09-15 (platform.claude.com docs, mid-conversation-system-messages)';

const EFFORT_NOTE =
  'effort in a system message without content holds until the next one, beta mid-conversation-output-config-2026-07-01, and behind tool results alone it waits for the next words of the user (docs, effort-per-message)';

function appendsNotes(appends: Capabilities['appends']): readonly string[] {
  return [...(appends.includes('tools') ? [TOOLS_NOTE] : []), ...(appends.includes('reasoning') ? [EFFORT_NOTE] : [])];
}

const DIAGNOSES_NOTE =
  'compares requests on its own API, and on no other cloud (platform.claude.com docs, cache-diagnostics)';

/**
 * Maximum size of one request in bytes. The documented limit of 32 MB has two possible meanings, and this number is the
 * smaller one (§1.6).
 */
const REQUEST_BYTES = 32_000_000;

/**
 * Returns the image limits of a Claude version. Images are counted in patches of 28 pixels. From Claude 4.7 on,
 * including the whole fifth generation, the limits are 2,576 pixels per side and 4,784 patches. Older models have
 * limits of 1,568 pixels and 1,568 patches (platform.claude.com docs, build-with-claude/vision, "Resolution and token
 * cost", read 2026-11).
 */
function imagesOf(version: number): ImageInput {
  const [side, most] = version >= 4.7 ? [2_576, 4_784] : [1_568, 1_568];
  return { side, count: { by: 'patches', size: 28, most } };
}

/** Converts a row of the facts into a row of the catalog. */
export function anthropicRow(fact: Fact): Capabilities {
  const undated = fact.id.replace(/-\d{8}$/, '');
  return {
    provider: 'anthropic',
    model: fact.id,
    aliases: undated === fact.id ? [] : [undated],
    inputLimit: fact.max_input ?? fact.context_window,
    outputLimit: fact.max_output,
    ...floorOf(fact),
    markers: 'explicit',
    slots: 4,
    lookback: 20,
    runsCollapse: true,
    ttls: ['5m', '1h'],
    renderParameters: RENDER_PARAMETERS,
    ...rulesOf(fact),
    requestBytes: REQUEST_BYTES,
    images: imagesOf(readClaudeName(fact.id)?.version ?? 0),
    prewarm: true,
    diagnoses: true,
    promotes: 'unverified',
    prices: pricesOf(fact),
    source: fact.source,
    asOf: fact.as_of,
    ...notesOf(
      fact.notes,
      NOTES.get(fact.id),
      RENDER_NOTE,
      DIAGNOSES_NOTE,
      ...appendsNotes(APPENDS.get(fact.id) ?? []),
    ),
  };
}

function rulesOf(fact: Fact): Rules {
  const { family, version = 0 } = readClaudeName(fact.id) ?? {};
  const keepsThinking =
    version >= 5 || (family === 'opus' && version >= 4.5) || (family === 'sonnet' && version >= 4.6);
  const bindsThinking = version > 5;
  return {
    window: { tokens: fact.context_window, sharedWithOutput: version >= 4.5 ? 'stops' : 'refused' },
    thinkingStripped: keepsThinking ? 'never' : 'at-new-turn',
    prefixCheck: bindsThinking,
    appends: APPENDS.get(fact.id) ?? [],
    prefill: version < 4.6,
    forcedToolChoice: !bindsThinking,
  };
}

function pricesOf(fact: Fact): readonly PriceList[] {
  if (fact.id !== 'claude-sonnet-5-5') return [priceListOf(fact)];
  const atFirst = { ...fact, price_per_mtok: { ...fact.price_per_mtok, cache_read: 0.2 } };
  return [priceListOf(atFirst, '2026-09-28'), priceListOf(fact, '2026-10-07')];
}
