// Rows of OpenRouter: the upstream's row under the router's name, with what holds for it there. Which upstreams: those of
// OpenRouter's own price list whose prices, window and output limit are the maker's own.

import type { Capabilities, LostFrom } from '@tidemark/model';

import { notesOf } from './fact.ts';

const SOURCE =
  'npm @earendil-works/pi-ai@1.5.2 (OpenRouter models, generated 2026-11-10); npm @openrouter/sdk@1.3.19; https://openrouter.ai/docs/guides/best-practices/prompt-caching';
const AS_OF = '2026-11-10';

/** Upstreams known to honour markers that are passed through (§3). */
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

/** Upstreams whose own implicit cache is passed through (§3). */
const IMPLICIT: readonly (readonly [upstream: string, name: string])[] = [
  ['gpt-6-astra', 'openai/gpt-6-astra'],
  ['gpt-6.1-sol', 'openai/gpt-6.1-sol'],
  ['gpt-6.1-terra', 'openai/gpt-6.1-terra'],
  ['gpt-6-luna', 'openai/gpt-6-luna'],
  ['gpt-5.6-sol', 'openai/gpt-5.6-sol'],
];

/** What a change of each setting loses of an upstream that is Anthropic's; another upstream is another cache. */
const CLAUDE_PARAMETERS: Readonly<Record<string, LostFrom>> = {
  model: 'tools',
  provider: 'tools',
  tool_choice: 'messages',
  parallel_tool_calls: 'messages',
  images: 'messages',
  'reasoning.effort': 'messages',
};

/** OpenRouter's rows, made of those of the makers. */
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

/** No thinking is sent back, so none is stripped or bound; an upstream may be a cloud's, where a run is no single position. */
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
    // A marker would be turned into an explicit breakpoint; whether the implicit entry is still written beside it is not known.
    slots: 0,
    renderParameters: { ...upstream.renderParameters, provider: 'tools' },
    ...notesOf('floor and lifetimes are the upstream’s; its cache works by itself, no marker is sent'),
  };
}

/** Chat has no field for what the Responses API compares, and the router hands on no diagnosis. */
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
    // It keeps a conversation with one upstream by the session that it is told.
    routing: 'automatic',
    source: SOURCE,
    asOf: AS_OF,
  };
}
