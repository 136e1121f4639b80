// Runs the audit: reads the transcripts of all coding agents into rows, and prints their costs and the advice.

import { join, resolve } from 'node:path';

import type { Advice, AdviseOptions, Audit, AuditCall, AuditSession, Projection, Updated } from '@tidemark/analytics';
import {
  advise,
  AnalyticsError,
  audit,
  callsOf,
  findTranscripts,
  isAdvised,
  openProjection,
  updateProjection,
} from '@tidemark/analytics';
import { defined } from '@tidemark/core';
import type { Catalog } from '@tidemark/model';
import { findModel } from '@tidemark/model';
import type { TranscriptPlace } from '@tidemark/recording';
import { transcriptPlaces } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';

import { sinceArgument } from '../arguments/since-argument.ts';
import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import { auditPage } from '../html/audit-page.ts';
import { pageFile, writePage } from '../html/page-file.ts';
import { adviceLines } from '../reports/audit-advice.ts';
import { auditTables, headlineOfAudit, notesOfAudit, nothingToAudit } from '../reports/audit-report.ts';
import { catalogDigest, readCatalog } from '../settings/own-catalog.ts';

/** Options of `tidemark audit`. */
export interface AuditFlags {
  readonly since?: string;
  readonly project?: string;
  readonly html?: string;
  readonly titles?: true;
  readonly advice: boolean;
}

/** Reads what is new in the transcripts, and reports the costs. */
export async function runAudit(flags: AuditFlags, context: CommandContext): Promise<CommandOutcome> {
  const since = flags.since === undefined ? daysAgo(DAYS) : sinceArgument(flags.since);
  const project = flags.project === undefined ? undefined : resolve(context.folder, flags.project);
  const html = await pageFile(flags, context.folder);
  const places = transcriptPlaces(context);
  const catalog = await readCatalog(context.home);
  const made = await withRows(catalog, context, async (projection) => {
    const updated = await update(projection, places, since, catalog, context);
    if (context.signal.aborted) return undefined;
    const found = audit(projection, { since, ...defined({ project }) });
    const advice = flags.advice ? await adviceFor(found, projection, catalog, context) : [];
    const callsIn = (session: AuditSession): readonly AuditCall[] => callsOf(projection, session);
    const parts = { callsOf: callsIn, advice, titles: flags.titles === true };
    return { found, updated, places, advice, page: html === undefined ? '' : auditPage(found, parts) };
  });
  if (made === undefined) {
    context.output.note('interrupted: the transcripts that were read are kept, and the next audit reads the others');
    return undefined;
  }
  print(made, context);
  if (html !== undefined && !context.signal.aborted) {
    await writePage(html, made.page);
    context.output.note(`page: ${html}`);
  }
  return undefined;
}

/** Number of days that an audit covers by default. */
const DAYS = 30;

const DAY_MS = 86_400_000;

/** Returns the start of a day in UTC. The day is the first of a period of `days` days that ends today. */
function daysAgo(days: number): string {
  return `${new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`;
}

/**
 * Calls `work` with the rows of earlier audits. If their file cannot be used, calls it with rows in memory, so the audit
 * is slower.
 */
async function withRows<T>(
  catalog: Catalog,
  { home, output }: CommandContext,
  work: (projection: Projection) => Promise<T>,
): Promise<T> {
  const rules = catalogDigest(catalog);
  try {
    return await closeAfter(openProjection(join(home, 'audit.sqlite'), rules), work);
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    output.note(`${error.message} This audit keeps nothing for the next one.`);
    return closeAfter(openProjection(undefined, rules), work);
  }
}

async function closeAfter<T>(projection: Projection, work: (projection: Projection) => Promise<T>): Promise<T> {
  try {
    return await work(projection);
  } finally {
    projection.close();
  }
}

/** Number of causes with advice. */
const ADVISED = 3;

/** Replays sessions to find advice for the largest causes that a change of the agent can reduce. */
async function adviceFor(
  found: Audit,
  rows: Projection,
  catalog: Catalog,
  { output, signal }: CommandContext,
): Promise<readonly Advice[]> {
  const options: AdviseOptions = {
    rows,
    catalog,
    createStore: createMemoryStore,
    signal,
    onProgress: ({ transcripts, replayed }) => {
      if (!output.watched) return;
      output.note(`replaying for advice: ${formatNumber(replayed)} of ${formatCount(transcripts, 'transcript')}`);
    },
  };
  const advised: Advice[] = [];
  for (const { cause } of found.causes.filter((one) => isAdvised(one.cause)).slice(0, ADVISED)) {
    const advice = await advise(found, cause, options);
    if (advice !== undefined) advised.push(advice);
  }
  return advised;
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

/** Time between two lines of progress, in milliseconds. */
const NOTE_MS = 2_000;

function megabytes(bytes: number): string {
  return formatNumber(bytes / 1e6);
}

/** Parts of a report. */
interface AuditParts {
  readonly found: Audit;
  readonly updated: Updated;
  readonly places: readonly TranscriptPlace[];
  readonly advice: readonly Advice[];
}

function print({ found, updated, places, advice }: AuditParts, { output }: CommandContext): void {
  const isEmpty = found.sums.calls === 0;
  output.result({ ok: true, ...found, advice, read: updated }, () =>
    isEmpty ? nothingToAudit(found, places) : headlineOfAudit(found),
  );
  if (!isEmpty)
    for (const { title, table } of auditTables(found)) {
      output.line(title === undefined ? '' : `\n${title}`);
      output.table(table);
    }
  for (const line of advice.flatMap(adviceLines)) output.line(line);
  if (!output.json) for (const note of notesOfAudit(found)) output.note(note);
}
