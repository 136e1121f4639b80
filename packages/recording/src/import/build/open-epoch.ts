// Opens the epochs of a recording. An epoch opens before the first answer that needs it. A setting that changes and
// changes back between two answers opens no epoch.

import { createHash } from 'node:crypto';
import { defined } from '@tidemark/core';
import type { EpochCause, Timestamp } from '@tidemark/log';
import { canonicalJson, digest } from '@tidemark/log';
import type { Answerer } from '../format/move.ts';
import type { SessionDraft, EpochInForce } from './draft.ts';
import { emit, inTurn } from './draft.ts';

/**
 * Name of the prompt contract in the events of an import. The recording does not contain the front, so its real
 * contract is unknown.
 */
export const RECORDED = 'recorded';

/**
 * Opens an epoch if the provider, the model, the reasoning setting or the checkpoint differs from the current epoch.
 */
export function openEpoch(draft: SessionDraft, at: Timestamp, { provider, model }: Answerer): void {
  const { epoch, reasoning, checkpoint } = draft;
  const next: EpochInForce = {
    number: epoch === undefined ? 0 : epoch.number + 1,
    provider,
    model,
    reasoning,
    checkpoint,
  };
  const cause = causeOf(epoch, next);
  if (cause === undefined) return;
  draft.epoch = next;
  emit(draft, {
    kind: 'epoch.opened',
    at,
    ...inTurn(draft),
    data: defined({
      number: next.number,
      cause,
      provider,
      model,
      parameters: reasoning === undefined ? {} : { reasoning },
      capabilities: keepName(draft, { provider, model }),
      contract: RECORDED,
      layers: [],
      tools: [],
      checkpoint,
      cacheKey: 'recorded',
      forecast: { rewrite: 0 },
    }),
  });
}

function causeOf(before: EpochInForce | undefined, next: EpochInForce): EpochCause | undefined {
  if (before === undefined) return 'initial';
  if (before.checkpoint !== next.checkpoint) return 'compaction';
  if (before.provider !== next.provider || before.model !== next.model) return 'model';
  return before.reasoning === next.reasoning ? undefined : 'reasoning';
}

// Stores an artifact in place of the catalog row, which the recording does not contain. The artifact contains only the
// names of provider and model, so that it makes no claim about the model.
function keepName(
  draft: SessionDraft,
  name: { readonly provider: string; readonly model: string },
): ReturnType<typeof digest> {
  const bytes = new TextEncoder().encode(canonicalJson(name).text);
  const hex = digest(createHash('sha256').update(bytes).digest('hex'));
  draft.bytes.push({ digest: hex, bytes });
  return hex;
}
