// `tidemark show`: a session as its steps, or one request as its spans, each with role, origin, bytes and tokens (L4).

import type { Rebuilt } from '@tidemark/agent';
import { rebuildSession } from '@tidemark/agent';
import { firstDivergence, slice } from '@tidemark/context';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import type { Block } from '@tidemark/model';

import type { Command, CommandContext, Outcome } from '../command.ts';
import { encoders } from '../encoders.ts';
import { dollars, grouped } from '../numbers.ts';
import { sessionArgument } from '../session-argument.ts';
import { stepArgument } from '../step-argument.ts';
import type { TableOf } from '../table.ts';
import { noStep, originName } from './why.ts';

/** Shows a session or one of its requests. */
export const show: Command = {
  name: 'show',
  summary: 'show the steps of a session, or one request as its spans: role, origin, bytes, tokens',
  examples: [
    ['tidemark show <session>', 'every step: what was read, written, paid'],
    ['tidemark show <session> 12', 'the request of step 12, span by span'],
    ['tidemark show <session> 12 --diff', 'what it adds to the request before it'],
  ],
  declare: (command, run) =>
    void command
      .argument('<session>', 'the session')
      .argument('[step]', 'one step')
      .option('--diff', 'only what differs from the request before it')
      .action((session: string, step: string | undefined, options: Options) =>
        run((context) =>
          step === undefined
            ? showSession(sessionArgument(session), context)
            : showStep(sessionArgument(session), stepArgument(step), options, context),
        ),
      ),
};

interface Options {
  readonly diff?: boolean;
}

interface StepRow {
  readonly step: number;
  readonly at: string;
  readonly model: string;
  readonly fresh: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly answer: number | null;
  readonly cost: string | null;
  readonly note: string;
}

async function showSession(session: SessionId, context: CommandContext): Promise<Outcome> {
  const steps: StepRow[] = [];
  const kinds: Record<string, number> = {};
  let records = 0;
  for await (const record of (await context.store()).read(session)) {
    records += 1;
    kinds[record.kind] = (kinds[record.kind] ?? 0) + 1;
    const row = stepRow(record);
    if (row !== undefined) steps.push(row);
  }
  context.output.result(
    { session, records, kinds, steps },
    () => `${session}: ${grouped(records)} records, ${steps.length} steps`,
  );
  context.output.table({
    head: ['step', 'at', 'model', 'fresh', 'read', 'written', 'answer', 'cost', ''],
    rows: steps.map(cells),
    numbers: [0, 3, 4, 5, 6, 7],
  });
  return undefined;
}

function stepRow(record: Recorded): StepRow | undefined {
  if (record.kind !== 'answer.received' && record.kind !== 'answer.interrupted') return undefined;
  const { step, model, usage = {} } = record.data;
  const received = record.kind === 'answer.received' ? record.data : undefined;
  const miss = received?.miss;
  return {
    step,
    at: record.at,
    model,
    fresh: usage.fresh ?? null,
    read: usage.read ?? null,
    written: usage.writes === undefined ? null : usage.writes.reduce((sum, write) => sum + write.tokens, 0),
    answer: usage.answer ?? null,
    cost: received?.cost ?? null,
    note:
      record.kind === 'answer.interrupted'
        ? 'interrupted'
        : miss === undefined
          ? ''
          : `${miss.cause}: ${grouped(miss.tokens)} paid again`,
  };
}

function cells(row: StepRow): readonly string[] {
  const count = (value: number | null): string => (value === null ? '?' : grouped(value));
  const { step, at, model, fresh, read, written, answer, cost, note } = row;
  return [
    String(step),
    at.slice(0, 19),
    model,
    count(fresh),
    count(read),
    count(written),
    count(answer),
    cost === null ? '' : dollars(cost),
    note,
  ];
}

async function showStep(session: SessionId, step: number, options: Options, context: CommandContext): Promise<Outcome> {
  const { before, found } = await requestAt(await context.store(), session, step);
  if (found === undefined) throw noStep(session, step);
  const { record, line } = found;
  const divergence = before === undefined ? undefined : firstDivergence(before.line.sequence, line.sequence);
  const from = options.diff === true && before !== undefined ? startOf(divergence, before) : 0;
  const markers = new Map(record.data.markers.map((marker) => [marker.block, marker.ttl]));
  const spans = slice(line.sequence.blocks, from).map((block, index) =>
    spanOf(block, from + index, markers.get(from + index)),
  );
  const relation = divergence === undefined ? 'extends' : 'breaks';
  const { digest, bytes, forecast, epoch } = record.data;
  context.output.result({ session, step, epoch, digest, bytes, forecast, relation, from, spans }, () => {
    const told =
      before === undefined
        ? 'the first request'
        : `${relation} the request before it at block ${from === 0 ? before.line.sequence.blocks.length : from}`;
    return `step ${step} of ${session}: ${grouped(bytes)} bytes, ${grouped(line.sequence.blocks.length)} blocks, epoch ${epoch}, digest ${digest.slice(0, 12)}…\n${told}`;
  });
  context.output.table(tableOf(spans));
  return undefined;
}

/** The request of a step, and the one before it. */
async function requestAt(
  store: Log,
  session: SessionId,
  step: number,
): Promise<{ readonly before?: Rebuilt; readonly found?: Rebuilt }> {
  let before: Rebuilt | undefined;
  for await (const one of rebuildSession(store, session, { encoders })) {
    if (one.type !== 'request') continue;
    if (one.rebuilt.record.data.step === step)
      return { found: one.rebuilt, ...(before === undefined ? {} : { before }) };
    before = one.rebuilt;
  }
  return {};
}

function startOf(divergence: ReturnType<typeof firstDivergence>, before: Rebuilt): number {
  if (divergence === undefined) return before.line.sequence.blocks.length;
  return divergence.at === 'parameters' ? 0 : divergence.at;
}

interface SpanRow {
  readonly block: number;
  readonly section: string;
  readonly role: string;
  readonly holds: string;
  readonly origin: Block['origin'];
  readonly bytes: number;
  readonly tokens: number;
  readonly marker: string | null;
  readonly begins: string;
}

function spanOf(block: Block, index: number, ttl: string | undefined): SpanRow {
  const { section, role, holds, origin, tokens } = block;
  const bytes = Buffer.byteLength(block.head) + Buffer.byteLength(block.tail);
  return { block: index, section, role, holds, origin, bytes, tokens, marker: ttl ?? null, begins: beginning(block) };
}

const BEGINNING = 48;

/** The first words of a block, for people to know it by. */
function beginning(block: Block): string {
  const texts = [...block.head.matchAll(/"(?:text|thinking|input|name|content)":("(?:[^"\\]|\\.)*|\{)/g)];
  const [first] = texts.map((match) => match[1] ?? '');
  return (first ?? '')
    .replace(/^"/, '')
    .replaceAll(/\\[nrt]/g, ' ')
    .slice(0, BEGINNING);
}

function tableOf(spans: readonly SpanRow[]): TableOf {
  const rows = spans.map(({ block, section, role, holds, origin, bytes, tokens, marker, begins }) => [
    String(block),
    section,
    `${role} ${holds}`,
    originName(origin),
    grouped(bytes),
    grouped(tokens),
    marker === null ? '' : `▼ ${marker}`,
    begins,
  ]);
  return {
    head: ['block', 'section', 'span', 'origin', 'bytes', 'tokens', 'marker', 'begins'],
    rows,
    numbers: [0, 4, 5],
  };
}
