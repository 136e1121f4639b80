// `grep` tool: searches for matching lines with ripgrep, sorted by path.

import type { Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import { join } from 'node:path';
import { z } from 'zod';
import type { Confinement } from '../confine/confine.ts';
import { showName } from '../confine/show-name.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { confirmComplaint, confirmLines, unreadNote } from './confirm-found.ts';
import { readGrepRecord } from './grep-record.ts';
import type { SearchFindings } from './findings.ts';
import { gatherFindings, maskCutRows } from './findings.ts';
import { gatherFiles } from './file-findings.ts';
import { earlyEndNotes, runRipgrep } from './run-ripgrep.ts';
import type { SearchPlace } from './search-place.ts';
import { searchPlace } from './search-place.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 1_000;
const MAX_CONTEXT = 10;
const LINE_END = 0x0a;
const PATIENCE_MS = 30_000;

const grepArguments = argumentsOf(
  z.strictObject({
    pattern: z.string().min(1).describe('Regular expression, matched line by line'),
    path: z.string().optional().describe('File or folder to search. Default: the workspace'),
    glob: z.string().optional().describe('Only files that match: *.ts, src/**, !*.test.ts'),
    ignore_case: z.boolean().optional(),
    literal: z.boolean().optional().describe('Treat the pattern as plain text'),
    output: z
      .enum(['lines', 'files', 'counts'])
      .optional()
      .describe('Matching lines (default), only files, or lines per file'),
    context: z.int().min(0).max(MAX_CONTEXT).optional().describe('Lines to show around each match'),
    limit: z.int().min(1).max(MAX_LINES).optional().describe('Maximum number of lines or files. Default: 100'),
  }),
);

type GrepArguments = Exclude<ReturnType<typeof grepArguments.read>, { readonly problem: string }>;

const DESCRIPTION =
  'Searches file contents in the workspace for a regular expression. Returns matching lines with their line numbers, sorted by path; shows 400 characters of a long line. Skips files in .gitignore unless path names them, and always binary files and files that may contain keys. To find files by name, use find.';

/** Creates the tool `grep`, with effect class `read`. It searches only inside the workspace. */
export function createGrepTool(confinement: Confinement): Tool {
  return {
    name: 'grep',
    description: DESCRIPTION,
    schema: grepArguments.schema,
    earlier: [
      '4b30e40405e6535aff9298f0a4c391322ad9fcc98ba8333f99e078be5a7e92a0',
      '90dbb31e902991bf47c3f245eb0128c2c1ee1d960f7549a626f2cfa84b31d5b3',
    ],
    effect: 'read',
    effectKinds: ['paths'],
    async read(input) {
      const asked = grepArguments.read(input);
      if (isProblem(asked)) return asked;
      if (asked.pattern.includes('\0'))
        return { problem: '`pattern` contains a NUL character, which no line of text contains. Remove it.' };
      const place = await searchPlace(confinement, asked.path, asked.glob);
      if (isProblem(place)) return place;
      const title = `grep ${showName(asked.pattern)} in ${place.shown}`;
      return { title, effects: place.effects, run: (context) => search(confinement.folder, place, asked, context) };
    },
  };
}

async function search(
  folder: string,
  place: SearchPlace,
  asked: GrepArguments,
  { signal, mask }: ToolContext,
): Promise<ToolOutput> {
  const findings = findingsOf(asked);
  let begun = false;
  const end = await runRipgrep({
    args: [...ripgrepArguments(asked), ...place.args, '--', asked.pattern, place.from],
    folder,
    root: join(folder, place.from),
    delimiter: LINE_END,
    signal,
    patienceMs: PATIENCE_MS,
    each: (text) => {
      const record = text === undefined ? undefined : readGrepRecord(text);
      if (text === undefined) findings.addTooLong();
      if (record === 'summary') begun = true;
      else if (record !== undefined) add(findings, place, record);
      return !findings.enough();
    },
  });
  if (end.code === 2 && !begun) throw badSearch(end.complaint, asked);
  const late = earlyEndNotes(end, PATIENCE_MS, 'pass a narrower path or glob');
  const unread = end.code === 2 ? [unreadNote('files', await confirmComplaint(folder, end.complaint))] : [];
  const confirmed = await confirmLines(folder, findings.rows);
  return { text: findings.describe(place.shown, [...late, ...unread], await maskCutRows(confirmed, mask)) };
}

function findingsOf({ output = 'lines', limit = DEFAULT_LINES, context = 0 }: GrepArguments): SearchFindings {
  return output === 'lines' ? gatherFindings(limit, context) : gatherFiles(limit, output);
}

function add(
  findings: SearchFindings,
  place: SearchPlace,
  line: Exclude<ReturnType<typeof readGrepRecord>, string | undefined>,
): void {
  const path = place.pathOf(line.path);
  if (path !== undefined && place.refusal(path) === undefined) findings.add({ ...line, path });
}

function ripgrepArguments({ ignore_case, literal, output = 'lines', context = 0 }: GrepArguments): readonly string[] {
  return [
    '--json',
    // With line buffering, no matches remain in ripgrep's output buffer. They are not lost when a run is ended early.
    '--line-buffered',
    // With `--engine auto`, PCRE2 is used only for a pattern that contains lookaround or backreferences.
    '--engine',
    'auto',
    '--context',
    String(output === 'lines' ? context : 0),
    ...(output === 'files' ? ['--max-count', '1'] : []),
    ignore_case === true ? '--ignore-case' : '--case-sensitive',
    ...(literal === true ? ['--fixed-strings'] : []),
  ];
}

function badSearch(complaint: string, { pattern }: GrepArguments): WorkspaceError {
  const shownComplaint = complaint.replace(/^~+\n/gm, '').trim();
  const message = `The search was refused:\n${shownComplaint}\nFix the pattern, or set \`literal\` to search for it as plain text.`;
  return new WorkspaceError('workspace/bad-search', message, { pattern });
}
