// `tidemark context`: shows what fills the window of the next request of a session. The output is for people and never
// enters a context.

import { gaugeInWords } from '@tidemark/context';

import { newestSessionId } from '../arguments/choose-session.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, optionalSession } from '../arguments/session-argument.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { dollars, formatCount, formatNumber } from '../frame/numbers.ts';
import type { TableOf } from '../frame/table.ts';
import type { ContextReport, ContextRow } from '../reports/context-report.ts';
import { readContext } from '../reports/context-report.ts';

/** Command `tidemark context`, which shows what fills the window of the next request. */
export const contextCommand: Command = {
  name: 'context',
  summary: 'show what fills the window of the next request: by kind, tool, file and turn',
  examples: [
    ['tidemark context', 'the newest session of this folder'],
    ['tidemark context <session> --all', 'that session, with every tool, file and turn'],
    ['tidemark context <session> --json', 'one object, with the cost of each part so far'],
  ],
  declare: (command, run) =>
    void declareSession(command, 'the newest session of this folder')
      .option('--all', `show every tool, file and turn, not only the ${MOST_ROWS} largest of each`)
      .action((session: string | undefined, flags: ContextFlags) =>
        run((context) => showContext(session, flags, context)),
      ),
};

interface ContextFlags extends SessionFlags {
  readonly all?: true;
}

/** Rows of a table without `--all`. */
const MOST_ROWS = 10;

async function showContext(
  name: string | undefined,
  flags: ContextFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const { folder, home, output } = context;
  const store = await context.store();
  const session = (await optionalSession(name, flags, context)) ?? (await newestSessionId(store, folder));
  const report = await readContext(store, session, home);
  if (report === undefined)
    throw new CliError('cli/not-found', `session ${session} has no request yet`, 'send a prompt first');
  output.result(contextJson(report), () => headline(report));
  if (output.json) return undefined;
  const most = flags.all === true ? Infinity : MOST_ROWS;
  output.table(tableOf('kind', report.kinds, Infinity));
  for (const [title, rows] of [
    ['layer', report.layers],
    ['tool', report.tools],
    ['file', report.files],
    ['turn', report.turns],
  ] as const) {
    if (rows.length === 0) continue;
    output.line('');
    output.table(tableOf(title, rows, most));
  }
  for (const line of remarks(report)) output.line(line);
  return undefined;
}

function headline({ session, model, gauge }: ContextReport): string {
  const fill = gauge === undefined ? 'an unknown size' : gaugeInWords(gauge);
  return `the next request of session ${session} to ${model} has ${fill}`;
}

function tableOf(title: string, rows: readonly ContextRow[], most: number): TableOf {
  const shown = rows.slice(0, most);
  const rest = rows.slice(most);
  const last = rest.length === 0 ? [] : [sumRow(rest)];
  return {
    head: [title, 'tokens', 'share', 'cost so far'],
    rows: [...shown, ...last].map(({ name, tokens, share, cost }) => [
      name,
      formatNumber(tokens),
      `${(100 * share).toFixed(1)}%`,
      cost === undefined ? 'unknown' : dollars(String(cost)),
    ]),
    numbers: [1, 2, 3],
  };
}

function sumRow(rows: readonly ContextRow[]): ContextRow {
  const sum = { tokens: 0, share: 0, cost: 0 };
  for (const { tokens, share, cost = 0 } of rows) {
    sum.tokens += tokens;
    sum.share += share;
    sum.cost += cost;
  }
  const { cost, ...sizes } = sum;
  return { name: `… ${formatNumber(rows.length)} more`, ...sizes, ...(rows[0]?.cost !== undefined && { cost }) };
}

function remarks({ replaced, calls }: ContextReport): readonly string[] {
  const gone =
    replaced < 0.000_05 ? [] : [`${dollars(String(replaced))} was paid for content that is no longer in the window`];
  const unknown =
    calls.unknown === 0 ? [] : [`the cost of ${formatCount(calls.unknown, 'call')} is unknown and not included`];
  return ['', 'sizes and the division of the cost are estimates', ...gone, ...unknown];
}

function contextJson(report: ContextReport): object {
  const { session, model, gauge, replaced, calls } = report;
  const rows = (all: readonly ContextRow[]): readonly object[] =>
    all.map(({ name, tokens, share, cost }) => ({
      name,
      tokens,
      share: Number(share.toFixed(4)),
      cost: cost === undefined ? null : decimal(cost),
    }));
  return {
    ok: true,
    session,
    model,
    gauge: gauge ?? null,
    kinds: rows(report.kinds),
    layers: rows(report.layers),
    tools: rows(report.tools),
    files: rows(report.files),
    turns: rows(report.turns),
    replaced: decimal(replaced),
    calls,
  };
}

function decimal(value: number): string {
  return value.toFixed(6);
}
