// The cache key: a routing hint that sessions of one family share. It holds no prompt text and nothing volatile.

import { canonicalText } from '@tidemark/log';
import type { Capabilities, NewHash } from '@tidemark/model';
import type { State } from '../state/state.ts';

/** What tells one family's front from another's. */
export interface KeyInput {
  readonly contract: string;
  readonly model: string;
  /** The root session: forks and subagents inherit it. */
  readonly root: string;
  /** Digests of the tools, in order. */
  readonly tools: readonly string[];
  /** Digest of the list of skills that stands in the front of an older log. */
  readonly skills?: string;
  /** The stream that leaves the family's key for one of its own. */
  readonly stream?: string | undefined;
  /** Who finds the machine, as the catalog row has it. */
  readonly routing?: Capabilities['routing'];
}

/**
 * The contract's name and 12 hex digits each of the model, the root session (with the stream, if it is said), the tool list
 * and an older log's list of skills: 55 characters for `tm1`, within the 64 that OpenAI takes. Where the provider routes by itself the
 * key only keeps one family apart from another: the contract's name and the root alone.
 */
export function cacheKey(input: KeyInput, newHash: NewHash): string {
  const { contract, model, root, tools, skills = null, stream, routing } = input;
  const short = (value: unknown): string => newHash().update(canonicalText(value)).hex().slice(0, 12);
  if (routing === 'automatic') return `${contract}.${short(root)}`;
  const family = short(stream === undefined ? root : [root, stream]);
  return [contract, short(model), family, short(tools), short(skills)].join('.');
}

/** The key of the next request: the epoch's, or one of the stream's own where it left the family's; `undefined` before any epoch. */
export function keyInForce(state: State, routing: Capabilities['routing'], newHash: NewHash): string | undefined {
  const { epoch, pace, root = '' } = state;
  if (epoch === undefined || pace.own === undefined || routing === 'automatic') return epoch?.opened.cacheKey;
  const { contract, model, tools, skills } = epoch.opened;
  const digests = tools.map((tool) => tool.digest);
  const input = { contract, model, root, tools: digests, stream: pace.own };
  return cacheKey(skills === undefined ? input : { ...input, skills }, newHash);
}
