// Asks a model to write a checkpoint. The request for the checkpoint (the question) is sent after the live prefix,
// which is in the cache. If there is no room after the live prefix, the history is sent in chunks. After an unusable
// answer the model is asked a second time. If the second answer is unusable too, the reason is reported, and the
// checkpoint is built from the log alone.

import type { CompactionContract, ModelFields, ParsedCheckpoint } from '@tidemark/context';
import { estimateTokens, parseCheckpoint, retryText } from '@tidemark/context';
import type { Digest, Position } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { AskBeside, CompactionBy } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';
import { newHash } from '../session/materials.ts';

/**
 * Options for asking a model to write a checkpoint. With `optional`, the model is asked only one time, with a time
 * limit, and only if the history is in the cache.
 */
export interface CheckpointAsker {
  readonly ask?: AskBeside;
  readonly optional?: true;
  /** Signal that aborts the request to the model and the whole compaction. */
  readonly signal?: AbortSignal;
}

/**
 * Returns the options for asking a model. `by` selects the writer. Its default is the setting `compactionBy` of the
 * runtime. With `deterministic`, no model is asked. With `auto`, the question is optional, and a scripted provider is
 * not asked.
 */
export function askerOf(
  { runtime, side, signal }: CheckpointQuestion,
  by: CompactionBy = runtime.compactionBy ?? 'deterministic',
): CheckpointAsker {
  if (side === undefined || by === 'deterministic') return {};
  const stops = signal && { signal };
  const ask: AskBeside = (call) => side({ ...call, ...stops });
  if (by === 'model') return { ask, ...stops };
  const brief: AskBeside = (call) => {
    const patience = AbortSignal.timeout(PATIENCE);
    return side({ ...call, signal: signal === undefined ? patience : AbortSignal.any([signal, patience]) });
  };
  return runtime.provider.scripted === true ? {} : { ask: brief, optional: true, ...stops };
}

interface CheckpointQuestion {
  readonly runtime: Pick<Runtime, 'compactionBy' | 'provider'>;
  readonly side?: AskBeside;
  readonly signal?: AbortSignal;
}

/**
 * Fields that a model added to the checkpoint, with data about the question. If the model added no fields, the reason
 * for this.
 */
export type Assistance =
  | { readonly fields: ModelFields; readonly made: MadeQuestion }
  | { readonly fallback: string; /** True if a request was sent. */ readonly asked: boolean };

/**
 * Data recorded about a question to the model. It is a type alias, because the log expects JSON and does not accept an
 * interface there.
 */
export type MadeQuestion = {
  /** Digests of the instruction and of the schema that the answer must match. */
  readonly instruction: Digest;
  readonly schema: Digest;
  /** Log positions of the requests to the model, in order. */
  readonly requests: readonly Position[];
  /** `first` if the first answer to each request was usable, `retry` if the model had to be asked a second time. */
  readonly validation: 'first' | 'retry';
};

/** Error codes of a request that was not sent to the model. */
const UNSENT: ReadonlySet<string> = new Set(['agent/not-cached', 'agent/limited']);
/** Time limit for an optional question, in milliseconds. A turn waits for the answer. */
const PATIENCE = 120_000;

const PURPOSE = 'compaction';

/**
 * Asks the model for the fields of a checkpoint. `room` is the number of tokens that the request may add after the live
 * prefix. If the request needs more tokens, the history is sent in chunks. With `optional`, nothing is sent in this
 * case.
 */
export async function askForCheckpoint(
  { ask, optional }: Required<Pick<CheckpointAsker, 'ask'>> & CheckpointAsker,
  contract: CompactionContract,
  room: number,
): Promise<Assistance> {
  const live = estimateTokens(contract.live) <= room;
  if (!live && optional === true)
    return { fallback: 'the history leaves no room for the question after it', asked: false };
  const prompts = live ? [() => contract.live] : contract.chunks();
  const how = { history: live ? 'main' : 'none', ...(optional && { optional }) } as const;
  const requests: Position[] = [];
  let validation: MadeQuestion['validation'] = 'first';
  let fields: ModelFields | undefined;
  try {
    for (const promptOf of prompts) {
      const words = promptOf(fields);
      const first = await readReply(ask, words, how, requests);
      const read = first.ok ? first : await readReply(ask, `${words}\n\n${retryText(first.unusable)}`, how, requests);
      if (!read.ok)
        return { fallback: `the answer of the model could not be used: ${read.unusable.message}`, asked: true };
      if (!first.ok) validation = 'retry';
      fields = read.fields;
    }
  } catch (error) {
    const isUnsent = error instanceof AgentError && UNSENT.has(error.code);
    return { fallback: failureOf(error), asked: !isUnsent };
  }
  if (fields === undefined) return { fallback: 'there was nothing to ask about', asked: false };
  return {
    fields,
    made: { instruction: nameOf(contract.instruction), schema: nameOf(contract.schema), requests, validation },
  };
}

async function readReply(
  ask: AskBeside,
  text: string,
  how: Pick<Parameters<AskBeside>[0], 'history' | 'optional'>,
  requests: Position[],
): Promise<ParsedCheckpoint> {
  const { parts, request } = await ask({ purpose: PURPOSE, words: [{ type: 'text', text }], ...how });
  if (request !== undefined) requests.push(request);
  return parseCheckpoint(parts);
}

/**
 * Returns the failure text for an error of the provider or a refusal. Any other error is a bug and must end the
 * compaction, so it is thrown again.
 */
function failureOf(error: unknown): string {
  const known = error instanceof ProviderError || (error instanceof AgentError && error.sort === 'refused');
  if (!known) throw error;
  return `asking the model failed: ${error.message}`;
}

function nameOf(text: string): Digest {
  return digest(newHash().update(text).hex());
}
