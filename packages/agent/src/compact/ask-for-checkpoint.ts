// What a model writes of a checkpoint. It is asked behind the live prefix, which the cache holds, or in chunks where that does
// not fit. A bad answer is asked for once more; what fails then is a reason, and the log writes the checkpoint alone.

import type { CompactionContract, ModelFields, ParsedCheckpoint } from '@tidemark/context';
import { estimateTokens, parseCheckpoint, retryText } from '@tidemark/context';
import type { Digest, Position } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { AskBeside, CompactionBy } from '../ports/compaction.ts';
import type { Runtime } from '../ports/runtime.ts';
import { newHash } from '../session/materials.ts';

/** Who is asked for a checkpoint. `optional`: once, not for long, and only where the history is in the cache. */
export interface CheckpointAsker {
  readonly ask?: AskBeside;
  readonly optional?: true;
  /** Ends the question, and the compaction with it. */
  readonly signal?: AbortSignal;
}

/** Returns who is asked: as the order says, else as the runtime is set. A script is asked only where the order names the model. */
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

/** What a model added, and how that was come by; or why it added nothing. */
export type Assistance =
  | { readonly fields: ModelFields; readonly made: MadeQuestion }
  | { readonly fallback: string; /** A question went out. */ readonly asked: boolean };

/** A type alias, as the log keeps it as JSON. */
export type MadeQuestion = {
  /** Of what was asked, and of the schema of its answer. */
  readonly instruction: Digest;
  readonly schema: Digest;
  /** Its requests, in order. */
  readonly requests: readonly Position[];
  /** Whether the first answer was read, or one that was asked for once more. */
  readonly validation: 'first' | 'retry';
};

/** Why a question was not sent at all. */
const UNSENT: ReadonlySet<string> = new Set(['agent/not-cached', 'agent/limited']);
/** Longest time that optional help may take, in milliseconds: a turn waits for it. */
const PATIENCE = 120_000;

/** Purpose of the side call. */
const PURPOSE = 'compaction';

/** Asks. `room`: tokens that the request may still take behind the live prefix. */
export async function askForCheckpoint(
  { ask, optional }: Required<Pick<CheckpointAsker, 'ask'>> & CheckpointAsker,
  contract: CompactionContract,
  room: number,
): Promise<Assistance> {
  const live = estimateTokens(contract.live) <= room;
  if (!live && optional === true)
    return { fallback: 'the history leaves no room for the question behind it', asked: false };
  const prompts = live ? [() => contract.live] : contract.chunks();
  const how = { history: live ? 'main' : 'none', ...(optional && { optional }) } as const;
  const requests: Position[] = [];
  let validation: MadeQuestion['validation'] = 'first';
  let fields: ModelFields | undefined;
  try {
    for (const promptOf of prompts) {
      const words = promptOf(fields);
      const first = await hear(ask, words, how, requests);
      const read = first.ok ? first : await hear(ask, `${words}\n\n${retryText(first.unusable)}`, how, requests);
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

async function hear(
  ask: AskBeside,
  text: string,
  how: Pick<Parameters<AskBeside>[0], 'history' | 'optional'>,
  requests: Position[],
): Promise<ParsedCheckpoint> {
  const { parts, request } = await ask({ purpose: PURPOSE, words: [{ type: 'text', text }], ...how });
  if (request !== undefined) requests.push(request);
  return parseCheckpoint(parts);
}

/** What the world did is no reason to give up the compaction; what is broken here is. */
function failureOf(error: unknown): string {
  const known = error instanceof ProviderError || (error instanceof AgentError && error.sort === 'refused');
  if (!known) throw error;
  return `the model was not heard: ${error.message}`;
}

function nameOf(text: string): Digest {
  return digest(newHash().update(text).hex());
}
