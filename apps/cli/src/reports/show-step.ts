// Shows one request of a session: its blocks and its result. Also shows what it adds to the previous request, or where
// it breaks.

import { defined } from '@tidemark/core';
import type { Rebuilt, RequestAt } from '@tidemark/agent';
import { rebuildRequest } from '@tidemark/agent';
import type { Divergence } from '@tidemark/context';
import { emptyState, evolve, firstDivergence, slice } from '@tidemark/context';
import type { Log, Recorded, SessionId, Usage } from '@tidemark/log';
import { LogError } from '@tidemark/log';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { encoders } from './encoders.ts';
import { CliError } from '../frame/failure.ts';
import type { LeftOutReasoning } from './left-out.ts';
import { reasoningLeftOut } from './left-out.ts';
import { formatNumber } from '../frame/numbers.ts';
import type { ComparedRequest } from './request-diff.ts';
import { diffRequests, diffTable, diffValue, parameterLine } from './request-diff.ts';
import type { SpanRow } from './request-spans.ts';
import { spanOf, spanTable } from './request-spans.ts';
import { showObserved } from './show-observed.ts';
import { noStep } from '../arguments/step-argument.ts';
import { forecastLine } from './step-forecast.ts';
import type { AnswerTransport } from '../present/transport-words.ts';
import { continuationLine, transportWords } from '../present/transport-words.ts';

/** Shows the request of a step, or of a side call by its stream. With `diff`, compares it with the previous request. */
export async function showStep(
  session: SessionId,
  wanted: number | string,
  diff: boolean,
  context: CommandContext,
): Promise<CommandOutcome> {
  const store = await context.store();
  const { before, found, answer = {} } = await requestAt(store, session, wanted);
  if (found === undefined && typeof wanted === 'number') return showObserved(session, wanted, diff, context);
  if (found === undefined) throw await noStep(store, session, wanted);
  const { continuation, forecast } = found.record.data;
  const { usage, transport } = answer;
  const divergence =
    before === undefined ? undefined : firstDivergence(before.promptStream.sequence, found.promptStream.sequence);
  const differs =
    diff && before !== undefined ? diffRequests(comparedAs(before), comparedAs(found), divergence) : undefined;
  const from = differs === undefined || before === undefined ? 0 : startOf(divergence, before);
  const spans = spansFrom(found, from);
  const leftOut = reasoningLeftOut(found);
  const { output } = context;
  const value = { ...requestValue(session, found, answer), relation: divergence === undefined ? 'extends' : 'breaks' };
  const parts = differs && { parameters: differs.parameters, blocks: differs.rows.map(diffValue) };
  output.result({ ...value, from, spans, leftOut, ...defined({ diff: parts }) }, () =>
    [
      headOf(session, found),
      relationOf(found, before, divergence),
      ...(continuation === undefined ? [] : [continuationLine(continuation)]),
      ...(transport === undefined ? [] : [`sent ${transportWords(transport)}`]),
      forecastLine(forecast, usage),
    ].join('\n'),
  );
  for (const one of differs?.parameters ?? []) output.line(parameterLine(one));
  // If a request only extends the previous one, there are no differing blocks to compare.
  if (differs === undefined || divergence === undefined) output.table(spanTable(spans));
  else if (differs.rows.length > 0) output.table(diffTable(differs.rows, divergence.at !== 'parameters'));
  for (const one of leftOut) output.line(leftOutLine(one));
  return undefined;
}

function comparedAs({ promptStream: { sequence, materials } }: Rebuilt): ComparedRequest {
  const { model, parameters } = materials.epoch.opened;
  return { sequence, parameters: { model, ...parameters } };
}

function spansFrom({ record, promptStream }: Rebuilt, from: number): readonly SpanRow[] {
  const markers = new Map(record.data.markers.map(({ block, ttl }) => [block, ttl]));
  return slice(promptStream.sequence.blocks, from).map((block, index) =>
    spanOf(block, from + index, markers.get(from + index)),
  );
}

function requestValue(session: SessionId, { record }: Rebuilt, { usage, transport }: ShownAnswer): object {
  const { step, stream, purpose, epoch, digest, bytes, forecast, continuation } = record.data;
  return {
    session,
    step: stream === 'main' ? step : null,
    stream,
    purpose,
    epoch,
    digest,
    bytes,
    forecast,
    usage: usage ?? null,
    continuation: continuation ?? null,
    transport: transport ?? null,
  };
}

function headOf(session: SessionId, { record: { data }, promptStream }: Rebuilt): string {
  const { stream, step, bytes, epoch, digest } = data;
  const named = stream === 'main' ? `step ${step}` : stream;
  const blocks = formatNumber(promptStream.sequence.blocks.length);
  return `${named} of ${session}: ${formatNumber(bytes)} bytes, ${blocks} blocks, epoch ${epoch}, digest ${digest.slice(0, 12)}…`;
}

function relationOf(
  { record: { data } }: Rebuilt,
  before: Rebuilt | undefined,
  divergence: Divergence | undefined,
): string {
  if (data.stream !== 'main') return `a side call: ${data.purpose}`;
  if (before === undefined) return 'the first request';
  if (divergence === undefined)
    return `extends the previous request at block ${before.promptStream.sequence.blocks.length}`;
  if (divergence.at === 'parameters')
    return `breaks the prefix of the previous request at the render parameters, which the cache of ${divergence.section} depends on`;
  return `breaks the prefix of the previous request at block ${divergence.at}, byte ${divergence.byte}`;
}

interface ShownAnswer {
  readonly usage?: Usage;
  readonly transport?: AnswerTransport;
}

const NO_LONGER = '`tidemark verify <session>` lists every request that cannot be rebuilt';

/** Result of a search. `before` is the previous request on the main stream. */
interface FoundRequest {
  readonly found: RequestAt;
  readonly before?: RequestAt;
  readonly answer?: ShownAnswer;
}

/**
 * Returns the rebuilt request of a step or a side call, with its answer. For a step, also returns the previous request.
 * If the previous request cannot be rebuilt, it is left out.
 */
async function requestAt(
  store: Log,
  session: SessionId,
  wanted: number | string,
): Promise<{ readonly before?: Rebuilt; readonly found?: Rebuilt; readonly answer?: ShownAnswer }> {
  const asked = await findRequest(store, session, wanted);
  if (asked === undefined) return {};
  const { answer } = asked;
  const before = asked.before && (await madeAgain(store, asked.before));
  const found = await madeAgain(store, asked.found);
  if (found instanceof Error)
    throw new CliError(
      'cli/refused',
      `this request cannot be rebuilt from the log of ${session}: ${found.message}`,
      NO_LONGER,
    );
  return { found, ...defined({ answer }), ...(before && !(before instanceof Error) && { before }) };
}

/** Folds the log up to the answer. Later, the two requests are rebuilt from the states at their positions. */
async function findRequest(store: Log, session: SessionId, wanted: number | string): Promise<FoundRequest | undefined> {
  let state = emptyState();
  let before: RequestAt | undefined;
  let asked: FoundRequest | undefined;
  for await (const record of store.read(session)) {
    state = evolve(state, record);
    const answer = asked && answerOf(record, asked.found);
    if (asked !== undefined && answer !== undefined) return { ...asked, answer };
    if (record.kind !== 'request.prepared') continue;
    const { step, stream } = record.data;
    // The request was sent again. Only the first attempt is shown.
    if (asked !== undefined && stream === asked.found.record.data.stream) return asked;
    if (asked !== undefined) continue;
    const one = { record, state };
    if (stream === wanted) asked = { found: one };
    if (stream === 'main' && step === wanted) asked = defined({ found: one, before });
    if (stream === 'main') before = one;
  }
  return asked;
}

/**
 * Returns the rebuilt request. If the log can no longer produce it, returns the error. Errors of the store are thrown.
 */
async function madeAgain(store: Log, request: RequestAt): Promise<Rebuilt | Error> {
  try {
    return await rebuildRequest(store, request, encoders);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof LogError) throw error;
    return error;
  }
}

function answerOf({ kind, data }: Recorded, { record: request }: RequestAt): ShownAnswer | undefined {
  if ((kind !== 'answer.received' && kind !== 'answer.interrupted') || data.request !== request.position)
    return undefined;
  const { usage = {} } = data;
  const transport = kind === 'answer.received' ? data.transport : undefined;
  return defined({ usage, transport });
}

function startOf(divergence: Divergence | undefined, before: Rebuilt): number {
  if (divergence === undefined) return before.promptStream.sequence.blocks.length;
  return divergence.at === 'parameters' ? 0 : divergence.at;
}

function leftOutLine({ record, model, text }: LeftOutReasoning): string {
  const shownText = text.trim() === '' ? 'no readable text' : JSON.stringify(text);
  return `not sent: reasoning of ${model}, record ${record}: ${shownText}`;
}
