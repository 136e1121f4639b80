// Which front an epoch opens with: the natural one or the padded one. Decided with the epoch, and carried on by the next one
// where that changes nothing of the front.

import type { EpochOpened, FrontEntry, PaddingRecord, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { RequestSpec } from './epoch.ts';
import { sameFront, servesAs } from './epoch.ts';
import type { FrontTexts } from '../front/front.ts';
import { frontTokens, PADDING } from '../front/pad-front.ts';
import { decidePadding, isPadded } from './padding.ts';
import { partTokens } from '../base/part-tokens.ts';
import type { State } from '../state/state.ts';

/** What the choice depends on. */
export interface ChoiceInput {
  /** With the new epoch in force: the history is packed as its first request will hold it. */
  readonly state: State;
  /** The epoch before it. */
  readonly before: EpochOpened | undefined;
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly ttl: '5m' | '1h';
}

/** A front, and the sum that led to it. */
export interface FrontChoice {
  readonly texts: FrontTexts;
  /** Absent where nothing was asked of padding. */
  readonly padding?: PaddingRecord;
  /** What is cached of it, where another session has sent it. */
  readonly cached?: readonly FrontEntry[];
}

/** Chooses. */
export function chooseFront(input: ChoiceInput): FrontChoice {
  const { wanted } = input;
  const { padding: offer, texts } = wanted;
  const inherited = inheritedBy(input);
  if (inherited !== undefined) return inherited;
  return offer === undefined ? { texts } : (carriedOn(input) ?? decided(input, offer));
}

/** A subagent's first front is its parent's, byte for byte, and is read from what that has cached. */
function inheritedBy({ before, wanted }: ChoiceInput): FrontChoice | undefined {
  const { inherited } = wanted;
  if (before !== undefined || inherited === undefined || !servesAs(inherited.opened, wanted)) return undefined;
  const { padding } = inherited.opened;
  const { texts, cached } = inherited;
  return { texts, ...(padding && { padding }), ...(cached.length > 0 && { cached }) };
}

function decided(
  { state, wanted: { texts }, capabilities, at, ttl }: ChoiceInput,
  { setting, padded, others }: NonNullable<RequestSpec['padding']>,
): FrontChoice {
  const padding = decidePadding({
    setting,
    capabilities,
    at,
    ttl,
    natural: frontTokens(texts),
    padded: padded === undefined ? undefined : frontTokens(padded),
    tail: tailTokens(state),
    tools: texts.tools.length > 0,
    others,
  });
  if (!isPadded(padding) || padded === undefined) return { texts, padding };
  const { preloaded: skills } = padded;
  return { texts: padded, padding: skills === undefined ? padding : { ...padding, skills } };
}

/** An epoch that leaves the front as it is leaves its padding too: its bytes may still be read. */
function carriedOn({ before, wanted }: ChoiceInput): FrontChoice | undefined {
  const { padding: offer, texts } = wanted;
  if (before?.padding === undefined || before.padding.setting !== offer?.setting) return undefined;
  if (before.model !== wanted.model || before.provider !== wanted.provider || !sameFront(before, wanted))
    return undefined;
  const { padding } = before;
  if (!isPadded(padding)) return { texts, padding };
  const { padded } = offer;
  return padded !== undefined && digestOf(before.layers) === digestOf(padded.layers.map(({ record }) => record))
    ? { texts: padded, padding }
    : undefined;
}

function digestOf(layers: EpochOpened['layers']): string | undefined {
  return layers.find(({ name }) => name === PADDING)?.digest;
}

/** Estimated tokens of all that stands behind the front. */
function tailTokens({ history: { packed } }: State): number {
  let tokens = 0;
  for (let index = 0; index < packed.length; index += 1)
    for (const part of itemAt(packed, index)?.parts ?? []) tokens += partTokens(part);
  return tokens;
}
