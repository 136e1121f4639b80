// Shows one request that another program sent and recorded. Shows its blocks, and either what it adds to the request
// before it or where it breaks.

import { defined } from '@tidemark/core';
import type { ObservedRequest } from '@tidemark/agent';
import { excerptOf, isBreak, readObservedStep } from '@tidemark/agent';
import type { Divergence } from '@tidemark/context';
import { firstDivergence, slice } from '@tidemark/context';
import type { Log, SessionId, Usage } from '@tidemark/log';

import { noStep } from '../arguments/step-argument.ts';
import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import { PARTS_SHOWN } from './observed-report.ts';
import type { ComparedRequest } from './request-diff.ts';
import { diffRequests, diffTable, diffValue, parameterLine } from './request-diff.ts';
import { spanOf, spanTable } from './request-spans.ts';

/** Shows the recorded request of a step. With `diff`, compares it with the request before it. */
export async function showObserved(
  session: SessionId,
  step: number,
  diff: boolean,
  context: CommandContext,
): Promise<CommandOutcome> {
  const store = await context.store();
  const { before, found } = await readObservedStep(store, session, step);
  if (found === undefined) throw await noStep(store, session, step);
  const usage = await usageOf(store, session, found);
  const divergence =
    before !== undefined && isBreak(before, found) ? firstDivergence(before.sequence, found.sequence) : undefined;
  const differs =
    diff && before !== undefined ? diffRequests(comparedAs(before), comparedAs(found), divergence) : undefined;
  const from = differs === undefined || before === undefined ? 0 : startOf(divergence, before);
  const spans = slice(found.sequence.blocks, from).map((block, index) =>
    spanOf(block, from + index, found.markers.get(from + index)),
  );
  const { output } = context;
  const parts = differs && { parameters: differs.parameters, blocks: differs.rows.map(diffValue) };
  const relation = before === undefined ? 'opens' : divergence === undefined ? 'extends' : 'breaks';
  output.result({ ...valueOf(session, found, usage), relation, from, spans, ...defined({ diff: parts }) }, () =>
    [
      headOf(session, found),
      relationOf(before, divergence),
      ...excerptLines(divergence),
      digestOf(found),
      ...partsOf(found),
      usageOfCall(usage),
    ]
      .filter((line) => line !== '')
      .join('\n'),
  );
  for (const one of differs?.parameters ?? []) output.line(parameterLine(one));
  if (differs === undefined || divergence === undefined) output.table(spanTable(spans));
  else if (differs.rows.length > 0) output.table(diffTable(differs.rows, divergence.at !== 'parameters'));
  return undefined;
}

function comparedAs({ record, sequence }: ObservedRequest): ComparedRequest {
  return { sequence, parameters: record.data.parameters };
}

async function usageOf(
  store: Log,
  session: SessionId,
  { record: request }: ObservedRequest,
): Promise<Usage | undefined> {
  for await (const { kind, data } of store.read(session, request.position)) {
    if ((kind === 'answer.received' || kind === 'answer.interrupted') && data.request === request.position)
      return data.usage;
    if (kind === 'request.observed' && data.step > request.data.step) return undefined;
  }
  return undefined;
}

function valueOf(
  session: SessionId,
  { record, digest, missing, body }: ObservedRequest,
  usage: Usage | undefined,
): object {
  const { step, stream, name, purpose, parameters, digest: recorded, leftOut } = record.data;
  return {
    session,
    step,
    stream,
    purpose: purpose ?? null,
    observed: { name, digest: recorded ?? null, rebuilt: digest ?? null, missing, leftOut: leftOut ?? [] },
    parameters,
    bytes: body?.().length ?? null,
    usage: usage ?? null,
  };
}

function headOf(session: SessionId, { record: { data }, sequence, body }: ObservedRequest): string {
  const bytes = body === undefined ? 'an unknown number of' : formatNumber(body().length);
  const { length } = sequence.blocks;
  return `step ${data.step} of ${session}, as it was sent: ${bytes} bytes, ${formatCount(length, 'block')}, model ${data.model}`;
}

function relationOf(before: ObservedRequest | undefined, divergence: Divergence | undefined): string {
  if (before === undefined) return 'the first recorded request';
  if (divergence === undefined) return `extends the previous request at block ${before.sequence.blocks.length}`;
  if (divergence.at === 'parameters')
    return `breaks the prefix of the previous request at the render parameters, which the cache of ${divergence.section} depends on`;
  return `breaks the prefix of the previous request at block ${divergence.at}, byte ${divergence.byte}`;
}

function excerptLines(divergence: Divergence | undefined): readonly string[] {
  const excerpt = divergence === undefined ? undefined : excerptOf(divergence);
  return excerpt === undefined ? [] : [`  was: ${excerpt.was}`, `  is:  ${excerpt.is}`];
}

function digestOf({ record, digest }: ObservedRequest): string {
  const { digest: recorded } = record.data;
  if (recorded === undefined) return 'the recording contains no digest of it';
  if (digest === undefined) return `digest ${recorded.slice(0, 12)}…, which cannot be compared`;
  const verdict = digest === recorded ? 'the rebuilt body has the recorded digest' : 'the rebuilt body differs from it';
  return `digest ${recorded.slice(0, 12)}…: ${verdict}`;
}

function partsOf({ missing, record: { data } }: ObservedRequest): readonly string[] {
  const more = missing.length > PARTS_SHOWN ? ` and ${missing.length - PARTS_SHOWN} more` : '';
  const lost =
    missing.length === 0 ? [] : [`not in the transcript: ${missing.slice(0, PARTS_SHOWN).join(', ')}${more}`];
  const cut = data.leftOut === undefined ? [] : [`left out by the program: ${data.leftOut.join(', ')}`];
  return [...lost, ...cut];
}

function usageOfCall(usage: Usage | undefined): string {
  if (usage === undefined) return 'no answer to it is in the log';
  const { fresh, read, writes } = usage;
  const count = (tokens: number | undefined): string => (tokens === undefined ? '?' : formatNumber(tokens));
  const written = writes?.reduce((sum, { tokens }) => sum + tokens, 0);
  return `billed input: ${count(read)} read, ${count(written)} written, ${count(fresh)} fresh`;
}

function startOf(divergence: Divergence | undefined, before: ObservedRequest): number {
  if (divergence === undefined) return before.sequence.blocks.length;
  return divergence.at === 'parameters' ? 0 : divergence.at;
}
