// Catalog rows of makers whose caches receive no markers from us: OpenAI (provider-facts §2), Google and DeepSeek (§3).

import type { Capabilities, ImageInput, ImplicitCache, LostFrom, PriceList } from '@tidemark/model';

import { type Fact, floorOf, notesOf, priceListOf, priceOf } from './fact.ts';

/**
 * Returns a row with the values that the three makers share: an automatic cache without markers. `own` replaces some of
 * these values.
 */
function implicitRow(fact: Fact, own: Partial<Capabilities>, ...notes: readonly (string | undefined)[]): Capabilities {
  const unknownLimit = fact.max_input === null;
  return {
    provider: fact.provider,
    model: fact.id,
    aliases: [],
    inputLimit: fact.max_input ?? fact.context_window - fact.max_output,
    window: { tokens: fact.context_window, sharedWithOutput: unknownLimit ? 'refused' : 'no' },
    outputLimit: fact.max_output,
    ...floorOf(fact),
    markers: 'implicit',
    slots: 0,
    lookback: 0,
    runsCollapse: false,
    ttls: [],
    renderParameters: { model: 'tools' },
    thinkingStripped: 'never',
    prefixCheck: false,
    appends: [],
    prefill: false,
    forcedToolChoice: true,
    prewarm: false,
    promotes: 'no',
    prices: [priceListOf(fact)],
    source: fact.source,
    asOf: fact.as_of,
    ...own,
    ...notesOf(fact.notes, unknownLimit ? 'input limit taken as window less output' : undefined, ...notes),
  };
}

/**
 * Settings that enter OpenAI's cache key (§2.2). All of them come before the developer message. `tool_choice` is not
 * listed, because changing it keeps the prefix.
 */
const OPENAI_PARAMETERS: Readonly<Record<string, LostFrom>> = {
  model: 'tools',
  parallel_tool_calls: 'tools',
  'text.format': 'tools',
  'reasoning.effort': 'tools',
  'text.verbosity': 'tools',
  context_management: 'tools',
  service_tier: 'tools',
};

/**
 * Caches of OpenAI's models (§2.1, §2.2): `ENDINGS` from GPT-5.6 on, `CLASSIC` for older models, and `EVERY_2048` for
 * GPT-5.5. Lifetimes are in minutes.
 */
const ENDINGS: ImplicitCache = { at: 'endings', idle: 30, lookup: 20 };
const CLASSIC: ImplicitCache = { at: 'grid', idle: 1_440, age: 1_440, first: 1_024, step: 128 };
const EVERY_2048: ImplicitCache = { at: 'grid', idle: 30, age: 1_440, first: 2_048, step: 2_048 };

/**
 * Returns the row of an OpenAI model. From GPT-5.6 on, cache writes cost money and last 30 minutes or 12 hours. Writes
 * of earlier models are free.
 */
export function openaiRow(fact: Fact): Capabilities {
  const paysWrites = Boolean(fact.price_per_mtok.cache_write_30m);
  // Models 4o and 4.1 have no reasoning.
  const parameters = Object.entries(OPENAI_PARAMETERS).filter(
    ([name]) => !(fact.id.startsWith('gpt-4') && name.startsWith('reasoning.')),
  );
  return implicitRow(
    fact,
    {
      renderParameters: Object.fromEntries(parameters),
      ...(paysWrites
        ? { ttls: ['30m', '12h'], prewarm: true, diagnoses: true, implicit: ENDINGS, routing: 'automatic', slots: 3 }
        : { implicit: fact.id === 'gpt-5.5' ? EVERY_2048 : CLASSIC, routing: 'by-key' }),
      appends: appendsOf(fact.id),
      ...imagesOf(fact.id),
    },
    paysWrites
      ? 'implicit mode is used, with the explicit breakpoints that it allows beside its own; 12h has no known price; compares responses (developers.openai.com, prompt-caching/diagnostics)'
      : 'lifetimes of its cache are not sold by name: 24h, the default, is taken, and on 5.5 its typical 30 minutes idle',
    appendsNote(fact.id),
  );
}

/**
 * Image costs with `detail: auto`. The first pattern that matches the model applies (developers.openai.com,
 * guides/images-vision, read 2026-11). From 5.6 on, images are not scaled down. Others measured the value of 1.2 tokens
 * per patch on 6.1 (docs.apiyi.com, vision-image-too-large, 2026-10-20). 5.1 is assumed to equal 5.
 */
const IMAGES: readonly (readonly [model: RegExp, images: ImageInput])[] = [
  [/^gpt-6/, { count: { by: 'patches', size: 32, each: 1.2 } }],
  [/^gpt-5\.6/, { count: { by: 'patches', size: 32 } }],
  [/^gpt-5\.5$/, { side: 6_000, count: { by: 'patches', size: 32, most: 10_000 } }],
  [/^gpt-5\.4$/, { side: 2_048, count: { by: 'patches', size: 32, most: 2_500 } }],
  [
    /^gpt-5(?:\.4)?-mini$|^gpt-4\.1-mini$/,
    { side: 2_048, count: { by: 'patches', size: 32, most: 1_536, each: 1.62 } },
  ],
  [/^gpt-5(?:\.4)?-nano$/, { side: 2_048, count: { by: 'patches', size: 32, most: 1_536, each: 2.46 } }],
  [/^gpt-5\.2$/, { side: 2_048, count: { by: 'patches', size: 32, most: 1_536 } }],
  [/^o4-mini$/, { side: 2_048, count: { by: 'patches', size: 32, most: 1_536, each: 1.72 } }],
  [/^gpt-5(?:\.1)?$/, { count: { by: 'tiles', base: 70, each: 140 } }],
  [/^gpt-4o$|^gpt-4\.1$/, { count: { by: 'tiles', base: 85, each: 170 } }],
  [/^o3$/, { count: { by: 'tiles', base: 75, each: 150 } }],
];

function imagesOf(id: string): { readonly images?: ImageInput } {
  const [, images] = IMAGES.find(([model]) => model.test(id)) ?? [];
  return images === undefined ? {} : { images };
}

/**
 * Models that are known to accept tools in the middle of the input. `TAKES_EFFORT` matches the models that accept a
 * change of effort there.
 */
const TAKES_TOOLS = /^gpt-(?:5\.4-mini|5\.5|5\.6|6)/;
const TAKES_EFFORT = /^gpt-6/;

/**
 * Returns the kinds of content that a model accepts in the middle of the input. No input item can withdraw or redefine
 * a tool, so only additions of tools are listed.
 */
function appendsOf(id: string): Capabilities['appends'] {
  return [
    'system',
    ...(TAKES_EFFORT.test(id) ? ['reasoning' as const] : []),
    ...(TAKES_TOOLS.test(id) ? ['tool-additions' as const] : []),
  ];
}

function appendsNote(id: string): string {
  const assumed = id.startsWith('gpt-6.1') ? '; 6.1 assumed' : '';
  const tools = `, and so are additional_tools items (tanstack.com/ai docs, mid-conversation changes, lists 5.4-mini, 5.5, 5.6 and 6${assumed}): no item withdraws or redefines a tool`;
  const effort = `; configuration_update sets the effort until the next one, and two in a row are refused; not in pro mode (openrouter.ai docs, GPT-6 migration${assumed})`;
  const [takesTools, takesEffort] = [TAKES_TOOLS.test(id) ? tools : '', TAKES_EFFORT.test(id) ? effort : ''];
  return `developer messages are taken anywhere in the input${takesTools}${takesEffort}`;
}

/** First day on which Gemini 4 Argon and Carbon cost twice as much (§4). */
const GEMINI_4_DOUBLES = '2026-12-01';

/** Returns the row of a Google model. Only implicit caching is used, and no explicit `CachedContent` objects. */
export function googleRow(fact: Fact): Capabilities {
  const unified = /^gemini-4-(?:argon|carbon)$/.test(fact.id);
  if (!unified) return implicitRow(fact, {});
  return implicitRow(fact, {
    window: { tokens: fact.context_window, sharedWithOutput: 'refused' },
    prices: [priceListOf(fact), doubled(fact)],
  });
}

/** Returns the row of a DeepSeek model. Its cache is always on, stores whole units and has no write charge. */
export function deepseekRow(fact: Fact): Capabilities {
  const peak = fact.tiers?.find((tier) => tier.when !== undefined);
  const price = peak === undefined ? undefined : priceOf(peak);
  return implicitRow(
    fact,
    {},
    price && `${peak?.when}: input ${price.input}, output ${price.output}, read ${price.read}; not in the price list`,
  );
}

function doubled(fact: Fact): PriceList {
  const { input, output, cache_read: read } = fact.price_per_mtok;
  const price = { input: 2 * input, output: 2 * output, cache_read: typeof read === 'number' ? 2 * read : null };
  return priceListOf({ ...fact, price_per_mtok: price }, GEMINI_4_DOUBLES);
}
