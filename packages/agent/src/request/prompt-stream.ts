// Prompt stream: the front, blocks, sequence and partly written body of one stream in one epoch. It is kept in memory,
// so the work of the next request depends only on the new text. It is built from the log and is not stored.

import type { AppendOnly, Epoch, FrontTexts, Sequence, State } from '@tidemark/context';
import {
  appendAll,
  appendOnly,
  beginSequence,
  sideCallSpans,
  estimateTokens,
  extendSequence,
  frontOf,
  knownParameters,
  parameterDigests,
  slice,
  withoutBoundReasoning,
} from '@tidemark/context';
import type { Artifacts, ContentPart, Position } from '@tidemark/log';
import type { Block, BodyWriter, Capabilities, Encoder, LoweredFront, Span } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import { loadMaterials, newHash } from '../session/materials.ts';

/** Parts of an epoch from which its prompt streams are built. */
export interface EpochMaterials {
  readonly epoch: Epoch;
  readonly texts: FrontTexts;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  /**
   * Returns the tokens of a text. The default is `estimateTokens`. The bytes do not depend on the tokens, so a caller
   * that compares only bytes can return 0.
   */
  readonly estimate?: (text: string) => number;
}

/**
 * Extends a sequence by new blocks, with the block sizes from a recording. The sizes of older blocks may change, but
 * their bytes must not change.
 */
export type Resize = (sequence: Sequence, blocks: readonly Block[]) => Sequence;

/** Front, blocks, sequence and partly written body of one stream in one epoch. */
export interface PromptStream {
  readonly materials: EpochMaterials;
  readonly front: LoweredFront;
  readonly writer: BodyWriter;
  /**
   * Packed history from which the blocks were made, compared by identity. `lowered` is the number of its spans that are
   * already converted to blocks.
   */
  readonly packed: readonly Span[];
  readonly lowered: number;
  readonly sequence: Sequence;
  /** Ordinal of the span from which each block was made. It is -1 for blocks of the front. */
  readonly ordinals: AppendOnly<number>;
}

/** Returns a prompt stream that contains only the front. */
export function beginPromptStream(materials: EpochMaterials, state: State): PromptStream {
  const { texts, capabilities, encoder, epoch } = materials;
  const parameters = knownParameters(epoch.opened.parameters, capabilities);
  const front = encoder.lowerFront(frontOf(texts, epoch.opened.model, parameters), lowering(materials, new Map()));
  const digests = parameterDigests(epoch.opened.model, parameters, capabilities, newHash);
  return {
    materials,
    front,
    writer: encoder.join(front, newHash),
    packed: state.history.packed.buffer,
    lowered: 0,
    sequence: beginSequence(digests, front.blocks, newHash),
    ordinals: appendOnly(front.blocks.map(() => -1)),
  };
}

/**
 * Returns true if the prompt stream is still valid for this state: the epoch is the same, and the history only grew.
 */
export function stillHolds(promptStream: PromptStream, state: State): boolean {
  return (
    promptStream.materials.epoch.position === state.epoch?.position &&
    promptStream.packed === state.history.packed.buffer
  );
}

/** Returns the prompt stream with all content that was packed since its last extension. */
export async function extendPromptStream(
  promptStream: PromptStream,
  state: State,
  artifacts: Artifacts,
  resize?: Resize,
): Promise<PromptStream> {
  const spans = slice(state.history.packed, promptStream.lowered);
  if (spans.length === 0 && resize === undefined) return promptStream;
  return { ...(await withSpans(promptStream, spans, artifacts, resize)), lowered: state.history.packed.length };
}

/**
 * Returns a prompt stream for one side call. It contains the blocks of `promptStream`, followed by `words` as one more
 * message. The existing blocks are not converted again. The body gets a new writer, because a writer cannot remove text
 * that it has written.
 *
 * @throws AgentError `agent/nothing-to-send` if the words are blank.
 */
export async function sideCallPromptStream(
  promptStream: PromptStream,
  state: State,
  words: { readonly parts: readonly ContentPart[]; readonly position: Position },
  artifacts: Artifacts,
): Promise<PromptStream> {
  const spans = sideCallSpans(state, words.parts, words.position, promptStream.lowered === 0 ? 'none' : 'main');
  if (spans.length === 0)
    throw new AgentError('agent/nothing-to-send', 'the side call is empty: pass some text or an image');
  const writer = promptStream.materials.encoder.join(promptStream.front, newHash);
  return withSpans({ ...promptStream, writer }, spans, artifacts);
}

async function withSpans(
  promptStream: PromptStream,
  spans: readonly Span[],
  artifacts: Artifacts,
  resize: Resize = extendSequence,
): Promise<PromptStream> {
  const loaded = await loadMaterials(artifacts, spans);
  const { encoder, epoch, capabilities } = promptStream.materials;
  const lowered = spans.map((span) => {
    const sent = withoutBoundReasoning(span, epoch, capabilities);
    return { span, blocks: encoder.lowerSpan(sent, lowering(promptStream.materials, loaded)) };
  });
  const blocks = lowered.flatMap((one) => one.blocks);
  const ordinals = lowered.flatMap(({ span, blocks: own }) => own.map(() => span.ordinal));
  return {
    ...promptStream,
    sequence: resize(promptStream.sequence, blocks),
    ordinals: appendAll(promptStream.ordinals, ordinals),
  };
}

function lowering(
  materials: EpochMaterials,
  loaded: ReadonlyMap<string, Uint8Array>,
): Parameters<Encoder['lowerSpan']>[1] {
  return {
    model: materials.epoch.opened.model,
    capabilities: materials.capabilities,
    materials: (name) => loaded.get(name),
    estimate: materials.estimate ?? estimateTokens,
  };
}
