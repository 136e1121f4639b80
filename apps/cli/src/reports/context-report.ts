// Reports what fills the window of the next request of a session: by kind, by tool, by file and by turn, with tokens,
// share and cost so far.

import { readArtifact, readFold } from '@tidemark/agent';
import type { Gauge, State, WindowPart } from '@tidemark/context';
import { emptyState, estimateTokens, evolve, itemAt, windowParts } from '@tidemark/context';
import type { EpochOpened, Log, SessionId } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';

import { rowInForce } from '../settings/row-in-force.ts';
import type { PartCosts } from './context-cost.ts';
import { createCostCollector } from './context-cost.ts';
import type { AddedTools, ContentKind, ContextNames } from './context-names.ts';
import { addNames, callOf, emptyNames, turnOf } from './context-names.ts';
import { gaugeAtRest } from './gauge-at-rest.ts';

/** Content of the window of the next request. */
export interface ContextReport {
  readonly session: SessionId;
  readonly model: string;
  /** Tokens of the next request, and its limit. The sizes of the parts add up to `input`. */
  readonly gauge: Gauge | undefined;
  readonly kinds: readonly ContextRow[];
  readonly layers: readonly ContextRow[];
  readonly tools: readonly ContextRow[];
  readonly files: readonly ContextRow[];
  readonly turns: readonly ContextRow[];
  /** Cost of content that is not in the window any more. */
  readonly replaced: number;
  /** Calls of the conversation with a known cost, and with an unknown cost. */
  readonly calls: { readonly known: number; readonly unknown: number };
}

/** A row of the report: content of one kind, one tool, one file or one turn. */
export interface ContextRow {
  readonly name: string;
  readonly tokens: number;
  /** Share of the next request, from 0 to 1. */
  readonly share: number;
  /** Cost so far in US dollars, input and output. Absent if no cost is known. */
  readonly cost?: number;
}

/**
 * Reads a session and reports its context. Returns `undefined` for a session without a request. The work is
 * proportional to the length of the log.
 */
export async function readContext(log: Log, session: SessionId, home: string): Promise<ContextReport | undefined> {
  const names = emptyNames();
  const collector = createCostCollector();
  const rows = createRows(log, home);
  let state = emptyState();
  for await (const record of log.read(session)) {
    state = evolve(state, record);
    addNames(names, record, state.workspace ?? '');
    if (record.kind === 'session.created') collector.reset();
    if (record.kind === 'answer.received' && record.data.stream === 'main')
      collector.take(record, state, await rows(state.epoch?.opened));
  }
  if (state.epoch === undefined) return undefined;
  const { fold } = await readFold(log, session);
  const next = await gaugeAtRest({ store: log, session, home }, fold);
  // Only notes that the next request will contain can have a position after the log.
  for (let at = fold.state.length; at < next.state.length; at += 1) names.kinds.set(at, 'notes');
  const row = await rows(state.epoch.opened);
  return reportOf({
    session,
    names,
    state: next.state,
    gauge: next.gauge,
    row,
    costs: collector.costs(),
    ...(await toolSizes(log, next.state, names)),
  });
}

/** Returns a function that reads the catalog row of an epoch. A row is read one time. */
function createRows(
  { artifacts }: Log,
  home: string,
): (opened: EpochOpened | undefined) => Promise<Capabilities | undefined> {
  const rows = new Map<string, Promise<Capabilities | undefined>>();
  return (opened) => {
    if (opened === undefined) return Promise.resolve(undefined);
    const name = `${opened.capabilities} ${opened.model}`;
    // A row that is missing leads to an unknown cost. `doctor` reports such a row.
    const row = rows.get(name) ?? rowInForce(artifacts, opened, home).catch(() => undefined);
    rows.set(name, row);
    return row;
  };
}

/** Estimated tokens of tool definitions: of the front by name, and of appended tools by the position of their record. */
interface ToolSizes {
  readonly sizes: ReadonlyMap<string, number>;
  readonly added: ReadonlyMap<number, ReadonlyMap<string, number>>;
}

async function toolSizes({ artifacts }: Log, { epoch }: State, names: ContextNames): Promise<ToolSizes> {
  const sizesOf = async (tools: AddedTools): Promise<ReadonlyMap<string, number>> => {
    const sizes = tools.map(async ({ name, digest }) => {
      const bytes = await readArtifact(artifacts, digest).catch(() => undefined);
      return [name, bytes === undefined ? 0 : estimateTokens(new TextDecoder().decode(bytes))] as const;
    });
    return new Map(await Promise.all(sizes));
  };
  const added = [...names.added].map(async ([position, tools]) => [position, await sizesOf(tools)] as const);
  return { sizes: await sizesOf(epoch?.opened.tools ?? []), added: new Map(await Promise.all(added)) };
}

interface ReportInput extends ToolSizes {
  readonly session: SessionId;
  readonly names: ContextNames;
  readonly state: State;
  readonly gauge: Gauge | undefined;
  readonly row: Capabilities | undefined;
  readonly costs: PartCosts;
}

/** A part of the window, with its names and its cost so far. */
interface NamedPart {
  readonly kind: ContentKind;
  readonly layer?: string;
  readonly tool?: string;
  readonly file?: string;
  readonly turn?: string;
  readonly tokens: number;
  readonly cost: number;
}

function reportOf(input: ReportInput): ContextReport {
  const { session, state, gauge, costs } = input;
  const parts = scaled(namedParts(input), gauge);
  const whole = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const known = costs.calls > 0;
  const rows = (nameOf: (part: NamedPart) => string | undefined): readonly ContextRow[] =>
    rowsBy(parts, nameOf, { whole, known });
  const paid = costs.front + sumOf(costs.spans.values()) + sumOf(costs.answers.values());
  return {
    session,
    model: state.epoch?.opened.model ?? '',
    gauge,
    kinds: rows(({ kind }) => kind),
    layers: rows(({ layer }) => layer),
    tools: rows(({ tool }) => tool),
    files: rows(({ file }) => file),
    turns: rows(({ turn }) => turn),
    replaced: Math.max(0, paid - parts.reduce((sum, { cost }) => sum + cost, 0)),
    calls: { known: costs.calls, unknown: costs.unknown },
  };
}

function sumOf(values: Iterable<number>): number {
  return [...values].reduce((sum, value) => sum + value, 0);
}

/** Returns the parts with sizes that add up to the input of the gauge, which is based on the count of the provider. */
function scaled(parts: readonly NamedPart[], gauge: Gauge | undefined): readonly NamedPart[] {
  const sum = parts.reduce((total, { tokens }) => total + tokens, 0);
  if (gauge?.input === undefined || sum === 0) return parts;
  const factor = gauge.input / sum;
  return parts.map((part) => ({ ...part, tokens: part.tokens * factor }));
}

function namedParts(input: ReportInput): readonly NamedPart[] {
  const parts = windowParts(input.state).filter((part) => isSent(input, part));
  const front = parts.reduce((sum, part) => sum + (part.from === 'history' ? 0 : part.tokens), 0);
  const spans = new Map<number, number>();
  for (const part of parts)
    if (part.from === 'history' && part.ordinal !== undefined)
      spans.set(part.ordinal, (spans.get(part.ordinal) ?? 0) + part.tokens);
  return parts.flatMap((part): readonly NamedPart[] => {
    if (part.from === 'history') return addedParts(input, historyPart(input, part, spans), part);
    const cost = front === 0 ? 0 : (input.costs.front * part.tokens) / front;
    if (part.from === 'tools') return toolParts(input, part.tokens, cost);
    return [{ kind: 'system text', layer: part.name, tokens: part.tokens, cost }];
  });
}

/** Returns false for reasoning of earlier turns if the provider strips it. */
function isSent({ state, row }: ReportInput, part: WindowPart): boolean {
  if (part.from !== 'history' || part.type !== 'reasoning' || row?.thinkingStripped !== 'at-new-turn') return true;
  return part.position >= (itemAt(state.turns, -1) ?? 0);
}

function toolParts({ sizes }: ReportInput, tokens: number, cost: number): readonly NamedPart[] {
  const sum = sumOf(sizes.values());
  if (sum === 0) return [{ kind: 'tool definitions', tokens, cost }];
  return [...sizes].map(([tool, size]) => ({
    kind: 'tool definitions',
    tool,
    tokens: (tokens * size) / sum,
    cost: (cost * size) / sum,
  }));
}

/**
 * Returns one part for each appended tool. The size of a definition is not in the history, so it is measured as in the
 * front. Any other part is returned as it is.
 */
function addedParts(
  { state, sizes, added }: ReportInput,
  named: NamedPart,
  { type, position }: Extract<WindowPart, { readonly from: 'history' }>,
): readonly NamedPart[] {
  const tools = type === 'change' ? added.get(position) : undefined;
  if (tools === undefined || tools.size === 0) return [named];
  const front = windowParts(state).find(({ from }) => from === 'tools')?.tokens ?? 0;
  const [inFront, sum] = [sumOf(sizes.values()), sumOf(tools.values())];
  const scale = front > 0 && inFront > 0 ? front / inFront : 1;
  return [...tools].map(([tool, size]) => ({
    ...named,
    tool,
    tokens: size * scale,
    cost: sum === 0 ? 0 : (named.cost * size) / sum,
  }));
}

function historyPart(
  { names, state, costs }: ReportInput,
  part: Extract<WindowPart, { readonly from: 'history' }>,
  spans: ReadonlyMap<number, number>,
): NamedPart {
  const { ordinal, position, tokens } = part;
  const whole = ordinal === undefined ? 0 : (spans.get(ordinal) ?? 0);
  const paid = ordinal === undefined ? 0 : (costs.spans.get(ordinal) ?? 0) + outputOf(costs, part);
  const call = part.type === 'call' || part.type === 'result' ? callOf(names, part) : undefined;
  const tool = call?.tool ?? part.tool;
  const turn = turnOf(names, position);
  const recorded = names.results.get(position);
  return {
    kind: recorded !== undefined && state.skillCalls.has(recorded) ? 'skills' : kindOf(names, part),
    ...(tool !== undefined && { tool }),
    ...(call?.file !== undefined && { file: call.file }),
    ...(turn !== undefined && names.kinds.get(position) !== 'checkpoint' && { turn: `${turn.turn}  ${turn.words}` }),
    tokens,
    cost: whole === 0 ? 0 : (paid * tokens) / whole,
  };
}

function outputOf(
  { answers }: PartCosts,
  { role, position }: { readonly role: string; readonly position: number },
): number {
  return role === 'assistant' ? (answers.get(position) ?? 0) : 0;
}

function kindOf({ kinds }: ContextNames, part: Extract<WindowPart, { readonly from: 'history' }>): ContentKind {
  switch (part.type) {
    case 'reasoning':
      return 'reasoning';
    case 'call':
      return 'tool calls';
    case 'result':
      return 'tool results';
    default:
      return kinds.get(part.position) ?? 'other';
  }
}

interface RowOptions {
  readonly whole: number;
  /** True if the cost of some calls is known. */
  readonly known: boolean;
}

/** Returns one row for each name, the largest first. */
function rowsBy(
  parts: readonly NamedPart[],
  nameOf: (part: NamedPart) => string | undefined,
  { whole, known }: RowOptions,
): readonly ContextRow[] {
  const sums = new Map<string, { tokens: number; cost: number }>();
  for (const part of parts) {
    const name = nameOf(part);
    if (name === undefined) continue;
    const sum = sums.get(name) ?? { tokens: 0, cost: 0 };
    sums.set(name, { tokens: sum.tokens + part.tokens, cost: sum.cost + part.cost });
  }
  return [...sums]
    .map(([name, { tokens, cost }]): ContextRow => ({
      name,
      tokens: Math.round(tokens),
      share: whole === 0 ? 0 : tokens / whole,
      ...(known && { cost }),
    }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens);
}
