// Formats an audit for people: the totals, the difference by cause, the worst sessions, and totals by day and project.

import { basename } from 'node:path';

import type { Audit, AuditCause, AuditSession, AuditSums } from '@tidemark/analytics';
import { causeInWords } from '@tidemark/context';
import type { TranscriptPlace } from '@tidemark/recording';

import { dollars, formatCount, formatNumber, percent } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { TableOf } from '../frame/table.ts';

/** Table with a title. */
export interface TitledTable {
  readonly title?: string;
  readonly table: TableOf;
}

const AGENT_NAMES: ReadonlyMap<string, string> = new Map([
  ['claude-code', 'Claude Code'],
  ['pi', 'pi'],
  ['codex', 'Codex'],
  ['copilot', 'Copilot CLI'],
  ['opencode', 'OpenCode'],
  ['gemini-cli', 'Gemini CLI'],
]);

/** Returns the name of an agent for people. */
export function agentName(agent: string): string {
  return AGENT_NAMES.get(agent) ?? agent;
}

/** Returns the headline: `41 sessions, 608 calls of Claude Code and pi, 2026-10-25 to 2026-11-23`. */
export function headlineOfAudit({ sums, agents, span }: Audit): Shown {
  const names = agents.map(({ name }) => agentName(name)).join(', ');
  const days = [span?.from.slice(0, 10), span?.to.slice(0, 10)];
  const when = days[0] === days[1] ? `${days[0]}` : `${days[0]} to ${days[1]}`;
  return `${formatCount(sums.sessions, 'session')}, ${formatCount(sums.calls, 'call')} of ${names}, ${when}`;
}

/** Returns the message for an audit without calls, with the places that were searched. */
export function nothingToAudit({ since, project }: Audit, places: readonly TranscriptPlace[]): string {
  const where = project === undefined ? '' : ` in ${project}`;
  const searched = places.map(({ agent, folder }) => `\n  ${agentName(agent)}: ${folder}`).join('');
  return `no calls of a coding agent since ${since.slice(0, 10)}${where}; searched:${searched}\nnext: use an earlier \`--since\``;
}

/** Maximum number of sessions, days and projects in the tables. `--json` contains all days and projects. */
const ROWS = { sessions: 8, days: 14, projects: 8 } as const;

export function auditTables(found: Audit): readonly TitledTable[] {
  const { causes, sessions, days, projects } = found;
  const worst = sessions.filter(({ difference }) => Number(difference) > 0).slice(0, ROWS.sessions);
  return [
    { table: sumsTable(found) },
    ...(causes.length === 0 ? [] : [{ title: 'the difference by cause', table: causesTable(found) }]),
    ...(worst.length === 0 ? [] : [{ title: 'sessions with the largest difference', table: sessionsTable(worst) }]),
    { title: titleOf('by day (UTC)', days.length, ROWS.days, 'days'), table: daysTable(found) },
    { title: titleOf('by project', projects.length, ROWS.projects, 'projects'), table: projectsTable(found) },
  ];
}

function titleOf(title: string, count: number, most: number, what: string): string {
  return count <= most ? title : `${title}, ${most} of ${formatNumber(count)} ${what}`;
}

function sumsTable({ sums: { paid, hadToCost, difference, input, read } }: Audit): TableOf {
  const rows: readonly (readonly Shown[])[] = [
    ['paid', dollars(paid), 'at the list price per token'],
    ['had to cost', dollars(hadToCost), 'the same calls, if every token sent before had been read from the cache'],
    [
      'difference',
      withStyle('bold', dollars(difference)),
      `${percent(Number(difference), Number(paid))} of the paid cost`,
    ],
    ['read', percent(read, input), 'of the input tokens came from the cache'],
  ];
  return { head: [], rows, numbers: [1] };
}

function causesTable({ causes, sums }: Audit): TableOf {
  const rows = causes.map((one) => [
    one.cause,
    formatNumber(one.calls),
    formatNumber(one.tokens),
    costOfCause(one),
    percent(Number(one.cost), Number(sums.difference)),
    causeInWords(one.cause),
  ]);
  return { head: ['cause', 'calls', 'paid again', 'cost', 'share', 'meaning'], rows, numbers: [1, 2, 3, 4] };
}

/** Formats the cost of a cause. Returns `?` if no call has a price. */
export function costOfCause({ cost, calls, unpriced }: AuditCause): string {
  return unpriced === calls ? '?' : dollars(cost);
}

function sessionsTable(sessions: readonly AuditSession[]): TableOf {
  const rows = sessions.map((one) => [
    one.from.slice(0, 16).replace('T', ' '),
    agentName(one.agent),
    nameOfProject(one.project),
    (one.title ?? one.session).slice(0, TITLE),
    formatNumber(one.calls),
    dollars(one.paid),
    dollars(one.difference),
    one.causes[0]?.cause ?? '',
  ]);
  const head = ['started', 'agent', 'project', 'session', 'calls', 'paid', 'difference', 'largest cause'];
  return { head, rows, numbers: [4, 5, 6] };
}

/** Maximum length of a title in a table, in characters. */
const TITLE = 40;

/** Returns the last part of a project's path. */
export function nameOfProject(project: string): string {
  return basename(project.replaceAll('\\', '/')) || project;
}

function daysTable({ days }: Audit): TableOf {
  const rows = days.slice(-ROWS.days).map((one) => [one.day, ...sumCells(one), one.causes[0]?.cause ?? '']);
  return { head: ['day', ...SUM_HEAD, 'largest cause'], rows, numbers: [1, 2, 3, 4] };
}

function projectsTable({ projects }: Audit): TableOf {
  const rows = projects.slice(0, ROWS.projects).map((one) => [one.name, ...sumCells(one)]);
  return { head: ['project', ...SUM_HEAD], rows, numbers: [1, 2, 3, 4] };
}

const SUM_HEAD = ['calls', 'paid', 'difference', 'share'] as const;

function sumCells({ calls, paid, difference }: AuditSums): readonly string[] {
  return [formatNumber(calls), dollars(paid), dollars(difference), percent(Number(difference), Number(paid))];
}

/** Returns the notes of an audit: the calls and lines that no total includes, and the score of the causes. */
export function notesOfAudit({ sums, score, problems, skippedLines }: Audit): readonly string[] {
  const { agrees, disagrees, explains, silent } = score;
  const judged = agrees + disagrees;
  const diagnosed = judged + explains + silent;
  return [
    ...(sums.unpriced === 0
      ? []
      : [`${formatCount(sums.unpriced, 'call')} without a price or without counts, in no sum of money`]),
    ...(diagnosed === 0
      ? []
      : [
          `the provider itself named the cause for ${formatCount(judged, 'call')}: our cause agrees for ${formatNumber(agrees)} (${percent(agrees, judged)})`,
        ]),
    ...(skippedLines === 0
      ? []
      : [`${formatCount(skippedLines, 'line')} could not be read; \`tidemark import\` lists them`]),
    ...problems
      .slice(0, MAX_PROBLEMS)
      .map(({ path, reason }) => `skipped: ${reason.includes(path) ? reason : `${path}: ${reason}`}`),
    ...(problems.length <= MAX_PROBLEMS
      ? []
      : [`skipped: ${problems.length - MAX_PROBLEMS} more files; \`--json\` lists all of them`]),
  ];
}

const MAX_PROBLEMS = 5;
