// Parsed request of the Responses or Chat wire. It contains everything the model is shown, in the cache order of
// provider-facts §2.2: tools, instructions, then items. Names are the same for both wires.

import type { Capabilities } from '@tidemark/model';
import { countText, imageTokens } from '../../core/tokens.ts';
import type { WireObject } from '../../core/wire.ts';
import { textOf } from '../../core/wire.ts';

/** Endpoint family of a request. `router` is Chat in OpenRouter's form. */
export type OpenAIWire = 'responses' | 'chat' | 'router';

/**
 * Role of an item. System and developer messages both count as `developer`. An item that belongs to no role is `other`.
 */
export type Speaker = 'developer' | 'user' | 'assistant' | 'tool' | 'other';

/** Type of a block, used for counting tokens and for finding runs. */
export type BlockKind = 'tool' | 'text' | 'image' | 'file' | 'call' | 'output' | 'reasoning' | 'other';

/** Lifetime of an explicitly marked entry. `request` means the lifetime that the request sets. */
export type MarkTtl = '30m' | '12h' | '5m' | '1h' | 'request';

/** Block as it is shown to the model. */
export interface PromptBlock {
  /** Index over tools, instructions and the parts of all items. */
  readonly index: number;
  readonly kind: BlockKind;
  readonly speaker: Speaker;
  /** Text that enters the prefix: everything the model is shown of the block, without markers. */
  readonly text: string;
  /** Estimated number of tokens. */
  readonly tokens: number;
  readonly mark: MarkTtl | undefined;
}

/** Item of the input on the Responses wire, or message on the Chat wire. */
export interface PromptItem {
  /** Type on the wire. It is `message` for every Chat message. */
  readonly type: string;
  readonly speaker: Speaker;
  readonly fields: WireObject;
  /** Index of the last block up to the end of this item, or -1 if there is no block yet. */
  readonly last: number;
}

/** Fields that a parsed request has on all wires. */
export interface OpenAIRequest {
  readonly wire: OpenAIWire;
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly rules: CacheRules;
  /** Whole request body. */
  readonly fields: WireObject;
  readonly blocks: readonly PromptBlock[];
  readonly items: readonly PromptItem[];
  /** Settings that enter the cache key, by name (§2.2). */
  readonly settings: { readonly [name: string]: string };
  /** Value of `prompt_cache_key`, or an empty string. */
  readonly key: string;
  readonly stream: boolean;
  /** True if the call only prepares the cache (§2.2). */
  readonly prewarm: boolean;
  /** Maximum number of answer tokens. `undefined` means the limit of the model. */
  readonly maxTokens: number | undefined;
}

/** Rule by which a model counts images. */
export type ImageRules = Capabilities['images'];

/** Blocks of a request, collected in order. */
export interface PromptBlocks {
  /** Rule by which the model counts images. */
  readonly images: ImageRules;
  readonly blocks: PromptBlock[];
}

/** Block without an index. `tokens` may be absent. */
export type LooseBlock = Omit<PromptBlock, 'index' | 'tokens'> & { readonly tokens?: number };

/** Appends a block and returns its index. */
export function addBlock(list: PromptBlocks, block: LooseBlock): number {
  const index = list.blocks.length;
  list.blocks.push({ ...block, index, tokens: block.tokens ?? Math.max(1, countText(block.text)) });
  return index;
}

/** Tokens of an image or a file whose size cannot be read. */
export const UNKNOWN_MEDIA: number = 1600;

/**
 * Returns the tokens of an image by its URL. An image in a data URL counts by the model's rule, any other image as
 * 1,600.
 */
export function countImageAt(url: string, images: ImageRules): number {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  return data === undefined ? UNKNOWN_MEDIA : imageTokens(data, images);
}

/** Returns the JSON of a value as the model sees it, without cache markers and `status`. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (UNSHOWN.has(key) ? undefined : inner)) ?? '';
}

const UNSHOWN: ReadonlySet<string> = new Set(['prompt_cache_breakpoint', 'cache_control', 'status']);

/** Returns the name of a tool, on the Responses or Chat wire. */
export function toolName(tool: WireObject): string {
  const inner = tool['function'];
  const named = typeof inner === 'object' && inner !== null && 'name' in inner ? inner.name : tool['name'];
  return textOf(named);
}

/**
 * Cache rules of a model (§2.1). GPT-5.6 and later write entries at message ends and marks. Older models write entries
 * on a grid of tokens. Claude through a router uses Anthropic's markers. The rules of other upstreams are unknown.
 */
export type CacheRules =
  | { readonly kind: 'boundaries' }
  /** Entries at `first`, `first + step`, ... tokens. */
  | { readonly kind: 'grid'; readonly first: number; readonly step: number }
  | { readonly kind: 'markers' }
  | { readonly kind: 'unknown' };

/** Returns the cache rules of a catalog row. A row of OpenAI with the lifetime `30m` belongs to GPT-5.6 or later. */
export function cacheRulesOf(capabilities: Capabilities): CacheRules {
  if (capabilities.provider === 'anthropic') return { kind: 'markers' };
  if (capabilities.provider !== 'openai') return { kind: 'unknown' };
  if (capabilities.ttls.includes('30m')) return { kind: 'boundaries' };
  return isHalfWay(capabilities.model) ? EVERY_2048 : CLASSIC;
}

/**
 * True for GPT-5.5 and 5.5 Pro, which are between the two generations: writes are free, but the only retention is `24h`
 * (§2.1).
 */
export function isHalfWay(model: string): boolean {
  return /^gpt-5\.5(-|$)/.test(model);
}

const EVERY_2048: CacheRules = { kind: 'grid', first: 2048, step: 2048 };

/**
 * Grid of the older models. The current documentation has only a "model-dependent interval". This grid is the one of
 * the classic text: from 1,024 in steps of 128 (inferred, [I]).
 */
const CLASSIC: CacheRules = { kind: 'grid', first: 1024, step: 128 };
