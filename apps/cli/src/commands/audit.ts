// `tidemark audit`: reports what all coding agents on this machine cost, what they had to cost, and the difference by
// cause. It reads their transcripts, imports nothing and sends nothing.

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';

import type { Audit, AuditCall, AuditSession, Projection, Updated } from '@tidemark/analytics';
import { audit, callsOf, findTranscripts, openProjection, updateProjection } from '@tidemark/analytics';
import { canonicalText } from '@tidemark/log';
import type { Catalog } from '@tidemark/model';
import { findModel } from '@tidemark/model';
import type { TranscriptPlace } from '@tidemark/recording';
import { transcriptPlaces } from '@tidemark/recording';

import { sinceArgument } from '../arguments/since-argument.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import { pageFile, writePage } from '../html/page-file.ts';
import { auditPage } from '../html/audit-page.ts';
import { auditTables, headlineOfAudit, notesOfAudit, nothingToAudit } from '../reports/audit-report.ts';
import { readCatalog } from '../settings/own-catalog.ts';

/** Command `tidemark audit`, which reports the cost of all coding agents on this machine. */
export const auditCommand: Command = {
  name: 'audit',
  summary: 'report what the coding agents on this machine cost, what they had to cost, and why they cost more',
  examples: [
    ['tidemark audit', 'the last 30 days of every agent; nothing is sent or imported'],
    ['tidemark audit --since 2026-11-01 --project .', 'this folder, from a day on'],
    ['tidemark audit --html audit.html', 'also as a web page, without text of the sessions'],
    ['tidemark audit --json', 'all figures as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .option('--since <day>', 'count calls from this day or time on. Default: 30 days ago.')
      .option('--project <folder>', 'count only calls of agents that worked in this folder or below it')
      .option('--html <file>', 'write the report as one HTML page, too')
      .option('--titles', 'show titles of sessions, which are text of prompts, and whole paths in the page')
      .action((flags: AuditFlags) => run((context) => report(flags, context))),
};

interface AuditFlags {
  readonly since?: string;
  readonly project?: string;
  readonly html?: string;
  readonly titles?: true;
}

async function report(flags: AuditFlags, context: CommandContext): Promise<CommandOutcome> {
  const since = flags.since === undefined ? daysAgo(DAYS) : sinceArgument(flags.since);
  const project = flags.project === undefined ? undefined : resolve(context.folder, flags.project);
  const html = await pageFile(flags, context.folder);
  const places = transcriptPlaces(context);
  const catalog = await readCatalog(context.home);
  const projection = openProjection(join(context.home, 'audit.sqlite'), rulesOf(catalog));
  try {
    const updated = await update(projection, places, since, catalog, context);
    const found = audit(projection, { since, ...(project !== undefined && { project }) });
    print(found, updated, places, context);
    if (html !== undefined) {
      const calls = (session: AuditSession): readonly AuditCall[] => callsOf(projection, session);
      await writePage(html, auditPage(found, { callsOf: calls, advice: [], titles: flags.titles === true }));
      context.output.note(`page: ${html}`);
    }
  } finally {
    projection.close();
  }
  return undefined;
}

/** Number of days that an audit covers by default. */
const DAYS = 30;

const DAY_MS = 86_400_000;

/** Returns the start of the day in UTC that was some days ago. Today is the last day. */
function daysAgo(days: number): string {
  return `${new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`;
}

/** Returns a digest of the catalog. With other prices, the rows are made again. */
function rulesOf(catalog: Catalog): string {
  return createHash('sha256').update(canonicalText(catalog)).digest('hex');
}

async function update(
  projection: Projection,
  places: readonly TranscriptPlace[],
  since: string,
  catalog: Catalog,
  { output, signal }: CommandContext,
): Promise<Updated> {
  const { transcripts, unreadable } = await findTranscripts(places);
  for (const { path, reason } of unreadable) output.note(`skipped: ${path} cannot be read (${reason})`);
  let noted = Date.now();
  return updateProjection(projection, transcripts, {
    rowOf: (provider, model) => findModel(catalog, model, provider),
    since: Date.parse(since),
    signal,
    onProgress: ({ files, filesRead, bytes, bytesRead }) => {
      if (!output.watched || Date.now() - noted < NOTE_MS) return;
      noted = Date.now();
      const read = `${formatNumber(filesRead)} of ${formatCount(files, 'transcript')}`;
      output.note(`reading: ${read}, ${megabytes(bytesRead)} of ${megabytes(bytes)} MB`);
    },
  });
}

/** Pause between two lines of progress, in milliseconds. */
const NOTE_MS = 2_000;

function megabytes(bytes: number): string {
  return formatNumber(bytes / 1e6);
}

function print(found: Audit, updated: Updated, places: readonly TranscriptPlace[], { output }: CommandContext): void {
  const isEmpty = found.sums.calls === 0;
  output.result({ ok: true, ...found, read: updated }, () =>
    isEmpty ? nothingToAudit(found, places) : headlineOfAudit(found),
  );
  if (!isEmpty)
    for (const { title, table } of auditTables(found)) {
      output.line(title === undefined ? '' : `\n${title}`);
      output.table(table);
    }
  if (!output.json) for (const note of notesOfAudit(found)) output.note(note);
}
