// `tidemark show`: a session as its steps, or one request as its spans, each with role, origin, bytes and tokens (L4).

import type { Rebuilt } from '@tidemark/agent';
import { rebuildSession } from '@tidemark/agent';
import type { Divergence } from '@tidemark/context';
import { emptyState, evolve, firstDivergence, gaugeInWords, slice } from '@tidemark/context';
import type { CallForecast, EpochOpened, Log, Parent, Recorded, SessionId, Usage } from '@tidemark/log';
import type { Block } from '@tidemark/model';

import type { Command, CommandContext, Outcome } from '../command.ts';
import { encoders } from '../encoders.ts';
import { explainPadding } from '../explain-padding.ts';
import { gaugeAtRest } from '../gauge-at-rest.ts';
import type { LeftOut } from '../left-out.ts';
import { reasoningLeftOut } from '../left-out.ts';
import { dollars, grouped } from '../numbers.ts';
import { sessionArgument } from '../session-argument.ts';
import { stepArgument } from '../step-argument.ts';
import type { TableOf } from '../table.ts';
import { originName } from '../explanation.ts';
import type { DiffRow, ParameterChange } from '../request-diff.ts';
import { diffRequests } from '../request-diff.ts';
import type { ForecastsOff } from '../step-forecast.ts';
import { addForecast, forecastLine, forecastsOff } from '../step-forecast.ts';
import type { Transport } from '../transport-words.ts';
import { continuationLine, transportWords } from '../transport-words.ts';
import { noStep } from './why.ts';

/** Shows a session or one of its requests. */
export const show: Command = {
  name: 'show',
  summary: 'show the steps of a session, or one request as its spans: role, origin, bytes, tokens',
  examples: [
    ['tidemark show <session>', 'every step: what was read, written, paid'],
    ['tidemark show <session> 12', 'the request of step 12, span by span'],
    ['tidemark show <session> 12 --diff', 'what it adds to the request before it, or where they part'],
    ['tidemark show <session> side/title-1', 'the request of a side call, by the name of its stream'],
  ],
  declare: (command, run) =>
    void command
      .argument('<session>', 'the session')
      .argument('[step]', 'one step, or the stream of a side call')
      .option('--diff', 'only what differs from the request before it')
      .action((session: string, step: string | undefined, options: Options) =>
        run((context) =>
          step === undefined
            ? showSession(sessionArgument(session), context)
            : showStep(
                sessionArgument(session),
                step.startsWith('side/') ? step : stepArgument(step),
                options,
                context,
              ),
        ),
      ),
};

interface Options {
  readonly diff?: boolean;
}

interface StepRow {
  /** Of the main stream; a side call is no step. */
  readonly step: number | null;
  readonly stream: string;
  /** What a side call was for, where the log holds its request. */
  readonly purpose: string | null;
  readonly at: string;
  readonly model: string;
  readonly fresh: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly answer: number | null;
  readonly cost: string | null;
  readonly forecast: CallForecast | null;
  readonly transport: Transport | null;
  readonly note: string;
}

async function showSession(session: SessionId, context: CommandContext): Promise<Outcome> {
  const steps: StepRow[] = [];
  const kinds: Record<string, number> = {};
  let records = 0;
  const purposes = new Map<number, string>();
  let off: ForecastsOff = { calls: 0, input: 0, off: 0 };
  const epochs: EpochOpened[] = [];
  let parent: Parent | undefined;
  const store = await context.store();
  let state = emptyState();
  for await (const record of store.read(session)) {
    records += 1;
    state = evolve(state, record);
    kinds[record.kind] = (kinds[record.kind] ?? 0) + 1;
    if (record.kind === 'request.prepared' && record.data.stream !== 'main')
      purposes.set(record.position, record.data.purpose);
    if (record.kind === 'answer.received') off = addForecast(off, record.data);
    if (record.kind === 'epoch.opened') epochs.push(record.data);
    if (record.kind === 'session.created' && record.data.id === session) parent = record.data.parent;
    const row = stepRow(record, purposes);
    if (row !== undefined) steps.push(row);
  }
  const padding = epochs.flatMap(({ number, padding: sum }) => (sum === undefined ? [] : [{ epoch: number, ...sum }]));
  const gauge = await gaugeAtRest(store.artifacts, state, context.home);
  const value = {
    session,
    parent: parent ?? null,
    records,
    kinds,
    steps,
    forecasts: off,
    padding,
    gauge: gauge ?? null,
  };
  context.output.result(value, () =>
    [
      `${session}: ${grouped(records)} records, ${countOf(steps)}${forecastsOff(off)}${unknownCaching(steps)}`,
      ...(parent === undefined ? [] : [`a fork: it left ${parent.session} behind record ${parent.position}`]),
      ...(gauge === undefined ? [] : [`the next request: ${gaugeInWords(gauge)}`]),
      ...epochs.flatMap((one) => explainPadding(one) ?? []),
    ].join('\n'),
  );
  context.output.table({
    head: ['step', 'at', 'model', 'fresh', 'read', 'written', 'answer', 'cost', ''],
    rows: steps.map(cells),
    numbers: [0, 3, 4, 5, 6, 7],
  });
  return undefined;
}

function countOf(steps: readonly StepRow[]): string {
  const beside = steps.filter(({ step }) => step === null).length;
  const main = steps.length - beside;
  const said = `${grouped(main)} step${main === 1 ? '' : 's'}`;
  return beside === 0 ? said : `${said}, ${grouped(beside)} side call${beside === 1 ? '' : 's'}`;
}

/** Without a comparison there is nothing that forecasts could be off by: why is said instead. */
function unknownCaching(steps: readonly StepRow[]): string {
  const models = steps.flatMap(({ forecast, model }) => (forecast?.caching === 'unknown' ? [model] : []));
  return models.length === 0 ? '' : `; how ${[...new Set(models)].join(' and ')} is cached is not known`;
}

function stepRow(record: Recorded, purposes: ReadonlyMap<number, string>): StepRow | undefined {
  if (record.kind !== 'answer.received' && record.kind !== 'answer.interrupted') return undefined;
  const { step, stream, request, model, usage = {} } = record.data;
  const main = stream === 'main';
  const received = record.kind === 'answer.received' ? record.data : undefined;
  const miss = received?.miss;
  return {
    step: main ? step : null,
    stream,
    purpose: main || request === undefined ? null : (purposes.get(request) ?? null),
    at: record.at,
    model,
    fresh: usage.fresh ?? null,
    read: usage.read ?? null,
    written: usage.writes === undefined ? null : usage.writes.reduce((sum, write) => sum + write.tokens, 0),
    answer: usage.answer ?? null,
    cost: received?.cost ?? null,
    forecast: received?.forecast ?? null,
    transport: received?.transport ?? null,
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
  const { step, stream, purpose, at, model, fresh, read, written, answer, cost, transport, note } = row;
  const beside = step === null ? [`${purpose ?? 'side call'} (${stream})`] : [];
  return [
    step === null ? '' : String(step),
    at.slice(0, 19),
    model,
    count(fresh),
    count(read),
    count(written),
    count(answer),
    cost === null ? '' : dollars(cost),
    [...beside, transport === null ? '' : transportWords(transport), note].filter((part) => part !== '').join('; '),
  ];
}

/** Shows one request: of a step, or of the side call on a stream. */
async function showStep(
  session: SessionId,
  wanted: number | string,
  options: Options,
  context: CommandContext,
): Promise<Outcome> {
  const { before, found, answer = {} } = await requestAt(await context.store(), session, wanted);
  if (found === undefined) throw noStep(session, wanted);
  const { record, line } = found;
  const divergence = before === undefined ? undefined : firstDivergence(before.line.sequence, line.sequence);
  const from = options.diff === true && before !== undefined ? startOf(divergence, before) : 0;
  const markers = new Map(record.data.markers.map((marker) => [marker.block, marker.ttl]));
  const spans = slice(line.sequence.blocks, from).map((block, index) =>
    spanOf(block, from + index, markers.get(from + index)),
  );
  const relation = divergence === undefined ? 'extends' : 'breaks';
  const { digest, bytes, forecast, epoch, stream, purpose, continuation } = record.data;
  const { usage, transport } = answer;
  const step = stream === 'main' ? record.data.step : null;
  const diff = options.diff === true && before !== undefined ? diffRequests(before, found, divergence) : undefined;
  const leftOut = reasoningLeftOut(found);
  const { output } = context;
  output.result(
    {
      session,
      step,
      stream,
      purpose,
      epoch,
      digest,
      bytes,
      forecast,
      usage: usage ?? null,
      continuation: continuation ?? null,
      transport: transport ?? null,
      relation,
      from,
      spans,
      leftOut,
      ...(diff === undefined ? {} : { diff: { parameters: diff.parameters, blocks: diff.rows.map(diffValue) } }),
    },
    () =>
      [
        headOf(session, found),
        relationOf(found, before, divergence),
        ...(continuation === undefined ? [] : [continuationLine(continuation)]),
        ...(transport === undefined ? [] : [`went ${transportWords(transport)}`]),
        forecastLine(forecast, usage),
      ].join('\n'),
  );
  for (const one of diff?.parameters ?? []) output.line(parameterLine(one));
  // What only grew has nothing to stand beside.
  if (diff === undefined || divergence === undefined) output.table(tableOf(spans));
  else if (diff.rows.length > 0) output.table(diffTable(diff.rows, divergence.at !== 'parameters'));
  for (const one of leftOut) output.line(leftOutLine(one));
  return undefined;
}

function headOf(session: SessionId, { record: { data }, line }: Rebuilt): string {
  const { stream, step, bytes, epoch, digest } = data;
  const named = stream === 'main' ? `step ${step}` : stream;
  const blocks = grouped(line.sequence.blocks.length);
  return `${named} of ${session}: ${grouped(bytes)} bytes, ${blocks} blocks, epoch ${epoch}, digest ${digest.slice(0, 12)}…`;
}

function relationOf(
  { record: { data } }: Rebuilt,
  before: Rebuilt | undefined,
  divergence: Divergence | undefined,
): string {
  if (data.stream !== 'main') return `a side call: ${data.purpose}`;
  if (before === undefined) return 'the first request';
  if (divergence === undefined) return `extends the request before it at block ${before.line.sequence.blocks.length}`;
  if (divergence.at === 'parameters')
    return `breaks the request before it at the render parameters, which the cache of ${divergence.section} depends on`;
  return `breaks the request before it at block ${divergence.at}, byte ${divergence.byte}`;
}

/** What is shown of an answer. */
interface Answered {
  readonly usage?: Usage;
  readonly transport?: Transport;
}

/** The request of a step with the one before it, or that of a side call, which has none before it; and its answer. */
async function requestAt(
  store: Log,
  session: SessionId,
  wanted: number | string,
): Promise<{ readonly before?: Rebuilt; readonly found?: Rebuilt; readonly answer?: Answered }> {
  let before: Rebuilt | undefined;
  let asked: { readonly before?: Rebuilt; readonly found: Rebuilt } | undefined;
  for await (const one of rebuildSession(store, session, { encoders })) {
    if (one.type === 'record') {
      const answer = asked && answerOf(one.record, asked.found);
      if (asked !== undefined && answer !== undefined) return { ...asked, answer };
      continue;
    }
    const { step, stream } = one.rebuilt.record.data;
    // Sent again: the first sending is the one that is shown.
    if (asked !== undefined && stream === asked.found.record.data.stream) return asked;
    if (asked !== undefined) continue;
    if (stream === wanted) asked = { found: one.rebuilt };
    if (stream === 'main' && step === wanted) asked = { found: one.rebuilt, ...(before && { before }) };
    if (stream === 'main') before = one.rebuilt;
  }
  return asked ?? {};
}

/** The answer to a request; `undefined` for any other record. */
function answerOf({ kind, data }: Recorded, { record: request }: Rebuilt): Answered | undefined {
  if ((kind !== 'answer.received' && kind !== 'answer.interrupted') || data.request !== request.position)
    return undefined;
  const { usage = {} } = data;
  const transport = kind === 'answer.received' ? data.transport : undefined;
  return { usage, ...(transport !== undefined && { transport }) };
}

function startOf(divergence: Divergence | undefined, before: Rebuilt): number {
  if (divergence === undefined) return before.line.sequence.blocks.length;
  return divergence.at === 'parameters' ? 0 : divergence.at;
}

function leftOutLine({ record, model, text }: LeftOut): string {
  const said = text.trim() === '' ? 'told in no words' : JSON.stringify(text);
  return `not sent: reasoning of ${model}, record ${record}: ${said}`;
}

function parameterLine({ name, was, is }: ParameterChange): string {
  return `${name}: ${was ?? 'not set'} before, ${is ?? 'not set'} now`;
}

function diffValue({ sign, was, is, block }: DiffRow): object {
  return { sign, was: was ?? null, is: is ?? null, ...spanOf(block, is ?? was ?? 0, undefined) };
}

/** Old and new beside each other; where blocks part, the first row is the first difference. */
function diffTable(rows: readonly DiffRow[], parted: boolean): TableOf {
  return {
    head: ['', 'was', 'is', 'span', 'origin', 'tokens', 'begins'],
    rows: rows.map(({ sign, was, is, block }, index) => [
      parted && index === 0 ? `► ${sign}` : `  ${sign}`,
      was === undefined ? '' : String(was),
      is === undefined ? '' : String(is),
      `${block.role} ${block.holds}`,
      originName(block.origin),
      grouped(block.tokens),
      beginning(block).slice(0, 24),
    ]),
    numbers: [1, 2, 5],
  };
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
