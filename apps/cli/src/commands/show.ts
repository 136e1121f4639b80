// `tidemark show`: prints the steps of a session, or one request as its spans, each with role, origin, bytes and tokens
// (L4).

import { defined } from '@tidemark/core';
import { readFold } from '@tidemark/agent';
import { compactionStanding, gaugeInWords } from '@tidemark/context';
import type { AgentChosen, CallForecast, EpochOpened, Parent, Recorded, SessionId, StartedBy } from '@tidemark/log';
import { allWritten, inputTokens } from '@tidemark/model';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { explainPadding } from '../reports/explain-padding.ts';
import { gaugeAtRest } from '../reports/gauge-at-rest.ts';
import { dollars, formatNumber } from '../frame/numbers.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, nameAndStep, requiredSession } from '../arguments/session-argument.ts';
import { showStep } from '../reports/show-step.ts';
import { standingLine } from '../present/standing-line.ts';
import { stepArgument } from '../arguments/step-argument.ts';
import type { ForecastsOff } from '../reports/step-forecast.ts';
import { addForecast, forecastsOff } from '../reports/step-forecast.ts';
import type { ShownSubagent } from '../present/subagent-lines.ts';
import { chosenLine, subagentLine, withSubagent } from '../present/subagent-lines.ts';
import type { AnswerTransport } from '../present/transport-words.ts';
import { transportWords } from '../present/transport-words.ts';

/** Command `tidemark show`, which prints the steps of a session, or one of its requests. */
export const show: Command = {
  name: 'show',
  summary: 'show the steps of a session, or one request as its spans: role, origin, bytes, tokens',
  examples: [
    ['tidemark show <session>', 'every step, with its tokens and its cost'],
    ['tidemark show --last', 'the newest session of this folder'],
    ['tidemark show <session> 12', 'the request of step 12, span by span'],
    ['tidemark show <session> 12 --diff', 'what it adds to the previous request, or where they differ'],
    ['tidemark show <session> side/title-1', 'the request of a side call, by the name of its stream'],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .argument('[step]', 'step number, or the stream of a side call')
      .option('--diff', 'show only the difference from the previous request')
      .action((first: string | undefined, second: string | undefined, flags: ShowFlags) =>
        run(async (context) => {
          const { name, step } = nameAndStep(first, second, flags);
          const wanted = step === undefined || step.startsWith('side/') ? step : stepArgument(step);
          const session = await requiredSession(name, flags, context);
          if (wanted === undefined) return showSession(session, context);
          return showStep(session, wanted, flags.diff === true, context);
        }),
      ),
};

interface ShowFlags extends SessionFlags {
  readonly diff?: boolean;
}

interface StepRow {
  /** Number of the step in the main stream. `null` for a side call, because a side call is not a step. */
  readonly step: number | null;
  readonly stream: string;
  /** Purpose of a side call. `null` for a step. Also `null` if the log does not contain the request. */
  readonly purpose: string | null;
  readonly at: string;
  readonly model: string;
  readonly fresh: number | null;
  readonly read: number | null;
  readonly written: number | null;
  /** Total input tokens. Known even if the provider reports only the total and not every bucket. */
  readonly input: number | null;
  readonly answer: number | null;
  readonly cost: string | null;
  /** Upper bound of the cost if the exact cost is unknown. */
  readonly costAtMost: string | null;
  readonly forecast: CallForecast | null;
  readonly transport: AnswerTransport | null;
  readonly note: string;
}

interface Relations {
  readonly parent: Parent | undefined;
  readonly startedBy: StartedBy | undefined;
  readonly agent: AgentChosen | undefined;
  readonly subagents: readonly ShownSubagent[];
}

/** Returns lines about the sessions and the own agent that a session is connected with. */
function relationLines({ parent, startedBy, agent, subagents }: Relations): readonly string[] {
  const as = startedBy?.agent === undefined ? '' : `, as the agent ${startedBy.agent}`;
  return [
    ...(parent === undefined ? [] : [`a fork of ${parent.session} after record ${parent.position}`]),
    ...(startedBy === undefined
      ? []
      : [`a subagent of ${startedBy.session}, started by its call ${startedBy.call}${as}`]),
    ...(agent === undefined ? [] : [chosenLine(agent)]),
    ...subagents.map(subagentLine),
  ];
}

async function showSession(session: SessionId, context: CommandContext): Promise<CommandOutcome> {
  const steps: StepRow[] = [];
  const kinds: Record<string, number> = {};
  let records = 0;
  const purposes = new Map<number, string>();
  let off: ForecastsOff = { calls: 0, input: 0, off: 0 };
  const epochs: EpochOpened[] = [];
  let parent: Parent | undefined;
  let startedBy: StartedBy | undefined;
  let subagents: readonly ShownSubagent[] = [];
  let agent: AgentChosen | undefined;
  const store = await context.store();
  for await (const record of store.read(session)) {
    records += 1;
    kinds[record.kind] = (kinds[record.kind] ?? 0) + 1;
    if (record.kind === 'request.prepared' && record.data.stream !== 'main')
      purposes.set(record.position, record.data.purpose);
    if (record.kind === 'answer.received') off = addForecast(off, record.data);
    if (record.kind === 'epoch.opened') epochs.push(record.data);
    if (record.kind === 'session.created' && record.data.id === session) ({ parent, startedBy } = record.data);
    subagents = withSubagent(subagents, record);
    if (record.kind === 'agent.chosen') agent = record.data;
    const row = stepRow(record, purposes);
    if (row !== undefined) steps.push(row);
  }
  const padding = epochs.flatMap(({ number, padding: sum }) => (sum === undefined ? [] : [{ epoch: number, ...sum }]));
  // `readFold` starts from the saved snapshot, so the whole log is not folded again.
  const { fold } = await readFold(store, session, records);
  const { state } = fold;
  const { gauge } = await gaugeAtRest({ store, session, home: context.home }, fold);
  const compaction = compactionStanding(state);
  const value = {
    session,
    parent: parent ?? null,
    ...defined({ startedBy, agent }),
    ...(subagents.length > 0 && { subagents }),
    records,
    kinds,
    steps,
    forecasts: off,
    padding,
    gauge: gauge ?? null,
    compaction: compaction ?? null,
  };
  context.output.result(value, () =>
    [
      `${session}: ${formatNumber(records)} records, ${countOf(steps)}${forecastsOff(off)}${unknownCaching(steps)}`,
      ...relationLines({ parent, startedBy, agent, subagents }),
      ...(gauge === undefined ? [] : [`the next request: ${gaugeInWords(gauge)}`]),
      ...(compaction === undefined ? [] : [standingLine(compaction)]),
      ...epochs.flatMap((one) => explainPadding(one) ?? []),
    ].join('\n'),
  );
  context.output.table({
    head: ['step', 'at', 'model', 'fresh', 'read', 'written', 'answer', 'cost', 'note'],
    rows: steps.map(cells),
    numbers: [0, 3, 4, 5, 6, 7],
  });
  return undefined;
}

function countOf(steps: readonly StepRow[]): string {
  const sideCalls = steps.filter(({ step }) => step === null).length;
  const main = steps.length - sideCalls;
  const mainSteps = `${formatNumber(main)} step${main === 1 ? '' : 's'}`;
  return sideCalls === 0
    ? mainSteps
    : `${mainSteps}, ${formatNumber(sideCalls)} side call${sideCalls === 1 ? '' : 's'}`;
}

/**
 * Returns a note that names the models with unknown caching. A forecast for such a model cannot be compared with the
 * usage, so it has no forecast error.
 */
function unknownCaching(steps: readonly StepRow[]): string {
  const models = steps.flatMap(({ forecast, model }) => (forecast?.caching === 'unknown' ? [model] : []));
  return models.length === 0 ? '' : `; the caching of ${[...new Set(models)].join(' and ')} is unknown`;
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
    written: allWritten(usage) ?? null,
    input: inputTokens(usage) ?? null,
    answer: usage.answer ?? null,
    cost: record.data.cost ?? null,
    costAtMost: record.data.costAtMost ?? null,
    forecast: received?.forecast ?? null,
    transport: received?.transport ?? null,
    note:
      record.kind === 'answer.interrupted'
        ? 'interrupted'
        : miss === undefined
          ? ''
          : `${[miss.cause, ...(miss.also ?? [])].join(' + ')}: ${formatNumber(miss.tokens)} paid again`,
  };
}

function cells(row: StepRow): readonly string[] {
  const count = (value: number | null): string => (value === null ? '?' : formatNumber(value));
  const { step, stream, purpose, at, model, fresh, read, written, input, answer, cost, transport, note } = row;
  const isWhole = fresh !== null && read !== null && written !== null;
  const total = isWhole || input === null ? '' : `${formatNumber(input)} input tokens in total`;
  const sideCall = step === null ? [`${purpose ?? 'side call'} (${stream})`] : [];
  return [
    step === null ? '' : String(step),
    at.slice(0, 19),
    model,
    count(fresh),
    count(read),
    count(written),
    count(answer),
    cost === null ? boundIn(row) : dollars(cost),
    [...sideCall, total, transport === null ? '' : transportWords(transport), note]
      .filter((part) => part !== '')
      .join('; '),
  ];
}

function boundIn({ costAtMost }: StepRow): string {
  return costAtMost === null ? '' : `up to ${dollars(costAtMost)}`;
}
