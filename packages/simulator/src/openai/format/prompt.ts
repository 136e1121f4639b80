// Parsed request of the Responses or Chat API. The request contains everything that the model is shown, in the cache
// order of provider-facts §2.2: tools, instructions, then items. The field names are the same for both APIs.

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

/** Type of a block. Consecutive blocks of type `call`, or of type `output`, can count as one lookback position. */
export type BlockKind = 'tool' | 'text' | 'image' | 'file' | 'call' | 'output' | 'reasoning' | 'other';

/**
 * Lifetime that an explicit mark sets. `30m` and `12h` are OpenAI's, `5m` and `1h` are Anthropic's, and `request` means
 * the lifetime that the request sets.
 */
export type MarkTtl = '30m' | '12h' | '5m' | '1h' | 'request';

/** Block of a prompt as the model is shown it. */
export interface PromptBlock {
  /** Index of the block in the list of all blocks: tools, instructions, then the parts of all items. */
  readonly index: number;
  readonly kind: BlockKind;
  readonly speaker: Speaker;
  /** Text of the block in the prefix: everything that the model is shown of the block, without markers. */
  readonly text: string;
  /** Estimated number of tokens of the block. */
  readonly tokens: number;
  readonly mark: MarkTtl | undefined;
}

/** Item of the input in the Responses API, or message in the Chat API. */
export interface PromptItem {
  /** Type of the item in the request. It is `message` for every Chat message. */
  readonly type: string;
  readonly speaker: Speaker;
  readonly fields: WireObject;
  /**
   * Index of the last block of this item. For an item without blocks, the index of the last block before the item. It
   * is -1 if the prompt has no block so far.
   */
  readonly last: number;
}

/** Fields that a parsed request has for all endpoints. */
export interface OpenAIRequest {
  readonly wire: OpenAIWire;
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly rules: CacheRules;
  /** Whole request body. */
  readonly fields: WireObject;
  readonly blocks: readonly PromptBlock[];
  readonly items: readonly PromptItem[];
  /** Settings that are part of the cache key: JSON text by name (provider-facts §2.2). */
  readonly settings: { readonly [name: string]: string };
  /** Value of `prompt_cache_key`, or an empty string if the request has no cache key. */
  readonly key: string;
  readonly stream: boolean;
  /** True if the call only prepares the cache (provider-facts §2.2). */
  readonly prewarm: boolean;
  /** Maximum number of answer tokens. `undefined` means the limit of the model. */
  readonly maxTokens: number | undefined;
  /** Texts at which the answer ends. */
  readonly stopSequences: readonly string[];
}

/** Rule by which a model counts the tokens of images. */
export type ImageRules = Capabilities['images'];

/** Blocks of a request, collected in prompt order, and the rule that counts its images. */
export interface PromptBlocks {
  readonly images: ImageRules;
  readonly blocks: PromptBlock[];
}

/** Block that has no index yet. `tokens` may be absent. */
export type LooseBlock = Omit<PromptBlock, 'index' | 'tokens'> & { readonly tokens?: number };

/**
 * Appends a block and returns its index. If the block has no `tokens`, they are estimated from its text, with a minimum
 * of 1.
 */
export function addBlock(list: PromptBlocks, block: LooseBlock): number {
  const index = list.blocks.length;
  list.blocks.push({ ...block, index, tokens: block.tokens ?? Math.max(1, countText(block.text)) });
  return index;
}

/** Number of tokens of an image or a file whose size cannot be read. */
export const UNKNOWN_MEDIA: number = 1600;

/**
 * Returns the number of tokens of the image at a URL. An image in a data URL counts by the rule of the model. Any other
 * image counts as 1,600 tokens.
 */
export function countImageAt(url: string, images: ImageRules): number {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  return data === undefined ? UNKNOWN_MEDIA : imageTokens(data, images);
}

/** Returns the JSON of a value as the model sees it: without cache markers and `status` fields. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (UNSHOWN.has(key) ? undefined : inner)) ?? '';
}

const UNSHOWN: ReadonlySet<string> = new Set(['prompt_cache_breakpoint', 'cache_control', 'status']);

/**
 * Returns the name of a tool definition or tool choice in the form of the Responses or Chat API. Returns an empty
 * string if there is no name.
 */
export function toolName(tool: WireObject): string {
  const inner = tool['function'];
  const named = typeof inner === 'object' && inner !== null && 'name' in inner ? inner.name : tool['name'];
  return textOf(named);
}

/**
 * Cache rules of a model (provider-facts §2.1). With `boundaries` (GPT-5.6 and later), entries are written at message
 * ends and marks. With `grid` (older models), they are written at fixed numbers of tokens. With `markers` (Claude
 * through a router), Anthropic's markers set the entries. With `unknown` (any other provider through a router), the
 * rules are not known.
 */
export type CacheRules =
  | { readonly kind: 'boundaries' }
  /** Entries are written at `first`, `first + step`, ... tokens. */
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
 * True for GPT-5.5 and 5.5 Pro, which are between the two generations of cache rules: writes are free, but the only
 * retention is `24h` (provider-facts §2.1).
 */
export function isHalfWay(model: string): boolean {
  return /^gpt-5\.5(-|$)/.test(model);
}

const EVERY_2048: CacheRules = { kind: 'grid', first: 2048, step: 2048 };

/**
 * Token grid of the older models. The current documentation only mentions a "model-dependent interval". This grid is
 * from the earlier documentation: from 1,024 tokens in steps of 128 (inferred, [I]).
 */
const CLASSIC: CacheRules = { kind: 'grid', first: 1024, step: 128 };
