// `grep` tool: searches for matching lines with ripgrep, sorted by path.

import type { Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import { join } from 'node:path';
import { z } from 'zod';
import type { Confinement } from '../confine/confine.ts';
import { showName } from '../confine/show-name.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { confirmComplaint, confirmLines, unreadNote } from './confirm-found.ts';
import type { GrepLine } from './grep-record.ts';
import { readGrepRecord } from './grep-record.ts';
import type { SearchFindings } from './findings.ts';
import { gatherFindings, maskCutRows } from './findings.ts';
import { gatherFiles } from './file-findings.ts';
import { earlyEndNotes, runRipgrep } from './run-ripgrep.ts';
import type { SearchPlace } from './search-place.ts';
import { searchPlace } from './search-place.ts';
import type { TextMatches } from './without-secrets.ts';
import { createSecretFilter } from './without-secrets.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 1_000;
const MAX_CONTEXT = 10;
const LINE_END = 0x0a;
const PATIENCE_MS = 30_000;
/** Maximum number of matching lines of a file that are looked at if only its name is shown. */
const MOST_MATCHES = '100';

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
  const { output = 'lines', context = 0 } = asked;
  const find = (texts: readonly string[]): Promise<readonly TextMatches[]> => findInTexts(folder, asked, texts, signal);
  const filter = createSecretFilter({ mask, find, context: output === 'lines' ? context : 0 });
  const named = new Set<string>();
  const addAll = (lines: readonly GrepLine[]): void => {
    for (const line of lines) {
      // One line of each file is enough for its name.
      if (output !== 'files' || !named.has(line.path)) findings.add(line);
      named.add(line.path);
    }
  };
  let begun = false;
  const end = await runRipgrep({
    args: [...ripgrepArguments(asked), ...place.args, '--', asked.pattern, place.from],
    folder,
    root: join(folder, place.from),
    delimiter: LINE_END,
    signal,
    patienceMs: PATIENCE_MS,
    each: async (text) => {
      const record = text === undefined ? undefined : readGrepRecord(text);
      if (text === undefined) findings.addTooLong();
      if (record === 'summary') begun = true;
      else if (record !== undefined) addAll(await filter.take(record).then((lines) => shownLines(lines, place)));
      return !findings.enough();
    },
  });
  addAll(shownLines(await filter.rest(), place));
  // ripgrep can fail to write after the last line that is needed.
  if (end.code === 2 && !begun && end.stopped !== 'enough') throw badSearch(end.complaint, asked);
  const late = earlyEndNotes(end, PATIENCE_MS, 'pass a narrower path or glob');
  const unread =
    end.code === 2 && end.stopped !== 'enough'
      ? [unreadNote('files', await confirmComplaint(folder, end.complaint))]
      : [];
  const confirmed = await confirmLines(folder, findings.rows);
  return { text: findings.describe(place.shown, [...late, ...unread], await maskCutRows(confirmed, mask)) };
}

function findingsOf({ output = 'lines', limit = DEFAULT_LINES, context = 0 }: GrepArguments): SearchFindings {
  return output === 'lines' ? gatherFindings(limit, context) : gatherFiles(limit, output);
}

function shownLines(lines: readonly GrepLine[], place: SearchPlace): readonly GrepLine[] {
  return lines.flatMap((line) => {
    const path = place.pathOf(line.path);
    return path !== undefined && place.refusal(path) === undefined ? [{ ...line, path }] : [];
  });
}

/**
 * Finds the pattern in texts. Uses only the engine without lookaround, because a match must not depend on the text
 * around it. Returns nothing for a pattern that this engine does not accept.
 */
async function findInTexts(
  folder: string,
  asked: GrepArguments,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly TextMatches[]> {
  const found: TextMatches[] = [];
  await runRipgrep({
    args: ['--json', '--text', '--engine', 'default', ...patternArguments(asked), '--', asked.pattern, '-'],
    folder,
    root: folder,
    delimiter: LINE_END,
    signal,
    patienceMs: PATIENCE_MS,
    input: texts.map((text) => `${text}\n`).join(''),
    each: (text) => {
      const record = text === undefined ? undefined : readGrepRecord(text);
      if (typeof record === 'object') found.push({ index: record.line - 1, spans: record.spans });
      return true;
    },
  });
  return found;
}

function patternArguments({ ignore_case, literal }: GrepArguments): readonly string[] {
  return [
    ignore_case === true ? '--ignore-case' : '--case-sensitive',
    ...(literal === true ? ['--fixed-strings'] : []),
  ];
}

function ripgrepArguments(asked: GrepArguments): readonly string[] {
  const { output = 'lines', context = 0 } = asked;
  return [
    '--json',
    // With line buffering, no matches remain in ripgrep's output buffer. They are not lost when a run is ended early.
    '--line-buffered',
    // With `--engine auto`, PCRE2 is used only for a pattern that contains lookaround or backreferences.
    '--engine',
    'auto',
    '--context',
    String(output === 'lines' ? context : 0),
    // The first matches of a file can be in lines with secrets, which do not count.
    ...(output === 'files' ? ['--max-count', MOST_MATCHES] : []),
    ...patternArguments(asked),
  ];
}

function badSearch(complaint: string, { pattern }: GrepArguments): WorkspaceError {
  const shownComplaint = complaint.replace(/^~+\n/gm, '').trim();
  const message = `The search was refused:\n${shownComplaint}\nFix the pattern, or set \`literal\` to search for it as plain text.`;
  return new WorkspaceError('workspace/bad-search', message, { pattern });
}
