// A request of either wire, Responses or Chat, once it is known to have the shape of one: what the model is shown, in the
// cache order of §2.2 (tools, instructions, then items), whatever the wire called it.

import type { Capabilities } from '@tidemark/model';
import { countText, imageTokens } from '../../core/tokens.ts';
import type { WireObject } from '../../core/wire.ts';
import { textOf } from '../../core/wire.ts';

/** Which door a request came through. `router` is Chat in OpenRouter's shape. */
export type OpenAIWire = 'responses' | 'chat' | 'router';

/** Who an item comes from. System and developer are one; what is nobody's word is `other`. */
export type Speaker = 'developer' | 'user' | 'assistant' | 'tool' | 'other';

/** What a block is, for counting and for runs. */
export type BlockKind = 'tool' | 'text' | 'image' | 'file' | 'call' | 'output' | 'reasoning' | 'other';

/** How long an explicitly marked entry is to live; `request` is what the request says. */
export type MarkTtl = '30m' | '12h' | '5m' | '1h' | 'request';

/** One block as it is shown to the model. */
export interface PromptBlock {
  /** Its running number over tools, instructions and the parts of all items. */
  readonly index: number;
  readonly kind: BlockKind;
  readonly speaker: Speaker;
  /** What enters the prefix: everything the model is shown of it, no marker. */
  readonly text: string;
  /** Tokens by the own rule. */
  readonly tokens: number;
  readonly mark: MarkTtl | undefined;
}

/** One item of the input, or one message. */
export interface PromptItem {
  /** The wire's type; `message` for every message of Chat. */
  readonly type: string;
  readonly speaker: Speaker;
  readonly fields: WireObject;
  /** Index of its last block, -1 for an item that shows nothing. */
  readonly last: number;
}

/** What every read request has. */
export interface OpenAIRequest {
  readonly wire: OpenAIWire;
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly rules: CacheRules;
  /** The whole body. */
  readonly fields: WireObject;
  readonly blocks: readonly PromptBlock[];
  readonly items: readonly PromptItem[];
  /** Settings that enter the cache key, by name (§2.2). */
  readonly settings: { readonly [name: string]: string };
  /** `prompt_cache_key`, or empty. */
  readonly key: string;
  readonly stream: boolean;
  /** Only the cache is prepared (§2.2). */
  readonly prewarm: boolean;
  /** Most tokens of the answer; `undefined` is what the model can do. */
  readonly maxTokens: number | undefined;
}

/** How a model takes images. */
export type ImageRules = Capabilities['images'];

/** Blocks as they are gathered in order. */
export interface PromptBlocks {
  /** How the model takes images. */
  readonly images: ImageRules;
  readonly blocks: PromptBlock[];
}

/** A block before it has its place. */
export type LooseBlock = Omit<PromptBlock, 'index' | 'tokens'> & { readonly tokens?: number };

/** Appends a block and returns its index. */
export function addBlock(list: PromptBlocks, block: LooseBlock): number {
  const index = list.blocks.length;
  list.blocks.push({ ...block, index, tokens: block.tokens ?? Math.max(1, countText(block.text)) });
  return index;
}

/** Tokens of an image or a file whose size cannot be read. */
export const UNKNOWN_MEDIA: number = 1600;

/** Tokens of an image by its address: by the model's rule in a data URL, else 1,600. */
export function countImageAt(url: string, images: ImageRules): number {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  return data === undefined ? UNKNOWN_MEDIA : imageTokens(data, images);
}

/** JSON of what is shown, without what only governs the cache or names the item. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (UNSHOWN.has(key) ? undefined : inner)) ?? '';
}

const UNSHOWN: ReadonlySet<string> = new Set(['prompt_cache_breakpoint', 'cache_control', 'status']);

/** The name of a tool, on either wire. */
export function toolName(tool: WireObject): string {
  const inner = tool['function'];
  const named = typeof inner === 'object' && inner !== null && 'name' in inner ? inner.name : tool['name'];
  return textOf(named);
}

/**
 * The rules of one model's cache (§2.1). GPT-5.6 and later write entries at message ends and marks, older models on a grid of tokens,
 * Claude behind a router by Anthropic's markers. The rules of other upstreams are unknown.
 */
export type CacheRules =
  | { readonly kind: 'boundaries' }
  /** Entries of `first`, `first + step`, ... tokens. */
  | { readonly kind: 'grid'; readonly first: number; readonly step: number }
  | { readonly kind: 'markers' }
  | { readonly kind: 'unknown' };

/** The rules that a catalog row stands for. Who sells its lifetimes by name (30m) sells its writes, too. */
export function cacheRulesOf(capabilities: Capabilities): CacheRules {
  if (capabilities.provider === 'anthropic') return { kind: 'markers' };
  if (capabilities.provider !== 'openai') return { kind: 'unknown' };
  if (capabilities.ttls.includes('30m')) return { kind: 'boundaries' };
  return isHalfWay(capabilities.model) ? EVERY_2048 : CLASSIC;
}

/** GPT-5.5 and 5.5 Pro: free writes, but only `24h` retention (§2.1). */
export function isHalfWay(model: string): boolean {
  return /^gpt-5\.5(-|$)/.test(model);
}

const EVERY_2048: CacheRules = { kind: 'grid', first: 2048, step: 2048 };

/** "Model-dependent interval" today; the classic text is taken: from 1,024 in steps of 128 [I]. */
const CLASSIC: CacheRules = { kind: 'grid', first: 1024, step: 128 };
