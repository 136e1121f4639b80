// A prompt stream: the front, blocks, sequence and half-written body of one stream in one epoch, kept so that the next request
// costs what is new. Derived from the log, thrown away with the process.

import type { AppendOnly, Epoch, FrontTexts, Sequence, State } from '@tidemark/context';
import {
  appendAll,
  appendOnly,
  beginSequence,
  besideSpans,
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

/** Input of the prompt streams of an epoch. */
export interface EpochMaterials {
  readonly epoch: Epoch;
  readonly texts: FrontTexts;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
}

/** Extends a sequence by new blocks at sizes that a recording knows; older sizes may be set anew, bytes may not. */
export type Resize = (sequence: Sequence, blocks: readonly Block[]) => Sequence;

/** The front, blocks, sequence and half-written body of one stream in one epoch. */
export interface PromptStream {
  readonly materials: EpochMaterials;
  readonly front: LoweredFront;
  readonly writer: BodyWriter;
  /** The packed history that was lowered, by identity, and how much of it. */
  readonly packed: readonly Span[];
  readonly lowered: number;
  readonly sequence: Sequence;
  /** Ordinal of the span that each block came from; -1 in the front. */
  readonly ordinals: AppendOnly<number>;
}

/** Returns a prompt stream with the front alone. */
export function beginPromptStream(materials: EpochMaterials, state: State): PromptStream {
  const { texts, capabilities, encoder, epoch } = materials;
  const parameters = knownParameters(epoch.opened.parameters, capabilities);
  const front = encoder.lowerFront(frontOf(texts, epoch.opened.model, parameters), lowering(materials, new Map()));
  const digests = parameterDigests(epoch.opened.model, parameters, capabilities.renderParameters, newHash);
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

/** Returns true while the prompt stream holds for this state: the same epoch, and a history that only grew. */
export function stillHolds(promptStream: PromptStream, state: State): boolean {
  return (
    promptStream.materials.epoch.position === state.epoch?.position &&
    promptStream.packed === state.history.packed.buffer
  );
}

/** Returns the prompt stream with all that was packed since. */
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
 * A prompt stream for one side call: what this one holds, then these words as one more message. Nothing of this one is
 * lowered again; the body is written anew, since a writer takes nothing back.
 *
 * @throws AgentError `agent/nothing-to-send` when the words are blank.
 */
export async function sideCallPromptStream(
  promptStream: PromptStream,
  state: State,
  words: { readonly parts: readonly ContentPart[]; readonly position: Position },
  artifacts: Artifacts,
): Promise<PromptStream> {
  const spans = besideSpans(state, words.parts, words.position, promptStream.lowered === 0 ? 'none' : 'main');
  if (spans.length === 0)
    throw new AgentError('agent/nothing-to-send', 'a side call has nothing to say: give it words or an image');
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
    estimate: estimateTokens,
  };
}
