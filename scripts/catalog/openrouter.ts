// Catalog rows of OpenRouter: the row of the upstream model under the router's name, with the values that differ there.
// Only upstream models are included for which OpenRouter's price list has the same prices, window and output limit as
// the maker's.

import type { Capabilities, LostFrom } from '@tidemark/model';

import { notesOf } from './fact.ts';

const SOURCE =
  'npm @earendil-works/pi-ai@1.5.2 (OpenRouter models, generated 2026-11-10); npm @openrouter/sdk@1.3.19; https://openrouter.ai/docs/guides/best-practices/prompt-caching';
const AS_OF = '2026-11-10';

/** Upstream models for which the router passes on cache markers, with the router's name for each (§3). */
const MARKED: readonly (readonly [upstream: string, name: string])[] = [
  ['claude-fable-5-2', 'anthropic/claude-fable-5.2'],
  ['claude-opus-5-5', 'anthropic/claude-opus-5.5'],
  ['claude-sonnet-5-5', 'anthropic/claude-sonnet-5.5'],
  ['claude-haiku-5-5', 'anthropic/claude-haiku-5.5'],
  ['claude-opus-5', 'anthropic/claude-opus-5'],
  ['claude-sonnet-5', 'anthropic/claude-sonnet-5'],
  ['claude-opus-4-8', 'anthropic/claude-opus-4.8'],
  ['claude-sonnet-4-6', 'anthropic/claude-sonnet-4.6'],
  ['claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4.5'],
];

/** Upstream models whose own implicit cache also works through the router, with the router's name for each (§3). */
const IMPLICIT: readonly (readonly [upstream: string, name: string])[] = [
  ['gpt-6-astra', 'openai/gpt-6-astra'],
  ['gpt-6.1-sol', 'openai/gpt-6.1-sol'],
  ['gpt-6.1-terra', 'openai/gpt-6.1-terra'],
  ['gpt-6-luna', 'openai/gpt-6-luna'],
  ['gpt-5.6-sol', 'openai/gpt-5.6-sol'],
];

/**
 * First part of the prefix whose cached tokens are lost if a setting changes, by name of the setting, for Anthropic's
 * models used through the router. The setting `provider` is included, because each upstream provider has a separate
 * cache.
 */
const CLAUDE_PARAMETERS: Readonly<Record<string, LostFrom>> = {
  model: 'tools',
  provider: 'tools',
  tool_choice: 'messages',
  parallel_tool_calls: 'messages',
  images: 'messages',
  'reasoning.effort': 'messages',
};

/** Creates OpenRouter's rows from the rows of the makers. */
export function openrouterRows(makers: readonly Capabilities[]): readonly Capabilities[] {
  const rowOf = (model: string): Capabilities => {
    const row = makers.find((one) => one.model === model);
    if (row === undefined) throw new Error(`no maker's row ${model}`);
    return row;
  };
  return [
    ...MARKED.map(([model, name]) => markedRow(rowOf(model), name)),
    ...IMPLICIT.map(([model, name]) => implicitRow(rowOf(model), name)),
  ];
}

/**
 * Returns the row of an upstream model that honours markers. The upstream may be another cloud. There, each call in a
 * run of calls counts as a separate position in the lookback, so `runsCollapse` is false.
 */
function markedRow(upstream: Capabilities, name: string): Capabilities {
  return {
    ...routed(upstream, name),
    markers: 'pass-through',
    runsCollapse: false,
    renderParameters: CLAUDE_PARAMETERS,
    ...notesOf(
      'floor, lookback, lifetimes and the price of a long write are the upstream’s',
      'a run of calls counts as so many positions, as it does on other clouds',
    ),
  };
}

function implicitRow(upstream: Capabilities, name: string): Capabilities {
  return {
    ...routed(upstream, name),
    // The row allows no markers, because a marker would become an explicit breakpoint. It is not known if the implicit
    // entry would still be written in addition.
    slots: 0,
    renderParameters: { ...upstream.renderParameters, provider: 'tools' },
    ...notesOf('floor and lifetimes are the upstream’s; its cache works by itself, no marker is sent'),
  };
}

/**
 * Returns the fields that all routed rows share. Thinking is not sent back, so `thinkingStripped` is `never` and
 * `prefixCheck` is false. `diagnoses` is omitted: the Chat API has no field for the comparison that the Responses API
 * makes, and the router passes on no diagnosis.
 */
function routed({ diagnoses: _own, ...upstream }: Capabilities, name: string): Capabilities {
  return {
    ...upstream,
    provider: 'openrouter',
    model: name,
    aliases: [...new Set([upstream.model, ...upstream.aliases])],
    thinkingStripped: 'never',
    prefixCheck: false,
    appends: [],
    prefill: false,
    prewarm: false,
    promotes: 'no',
    // The router keeps a conversation on one upstream, based on the session id that it receives.
    routing: 'automatic',
    source: SOURCE,
    asOf: AS_OF,
  };
}
