// What a branch did that is left behind, in short: from its records alone, in stable bytes, no model asked. It is bounded,
// and names what the bound left out.

import type { Gathered, Met } from '@tidemark/context';
import { filesOf, gather } from '@tidemark/context';
import type { BranchSummarized, Range, Recorded, SessionId } from '@tidemark/log';
import { headOf } from '../commit/cut-text.ts';

/** Bytes of each text that is quoted. */
const QUOTED = 400;
/** Prompts, files and tools that are named of each kind. */
const NAMED = 12;

/** How many entries were cut. */
interface SummaryCut {
  entries: number;
}

/** Sums up the records of a range of a session: by what a checkpoint of them would know. */
export async function summarizeBranch(
  session: SessionId,
  range: Range,
  records: AsyncIterable<Recorded>,
): Promise<BranchSummarized> {
  const all: Recorded[] = [];
  for await (const record of records) all.push(record);
  const found = gather(all, range.from - 1, range.to);
  const files = new Map(filesOf(found.calls).flatMap((file) => (file.as === 'read' ? [] : [[file.path, file]])));
  const changed = [...files.values()];
  const cut: SummaryCut = { entries: 0 };
  const text = [
    'The user went back to before what is told here. It is no longer part of this conversation.',
    ...section(
      'Asked there',
      listed(cut, found.directives, ({ text: words }) => quoted(cut, words)),
    ),
    ...section('Work', [worked(found)]),
    ...section(
      'Files changed',
      listed(
        cut,
        changed.filter(({ removed = false }) => !removed),
        pathOf,
      ),
    ),
    ...section(
      'Files removed',
      listed(
        cut,
        changed.filter(({ removed = false }) => removed),
        pathOf,
      ),
    ),
    ...section('Said last', found.said === '' ? [] : [quoted(cut, found.said)]),
  ].join('\n');
  return { session, range, strategy: 'deterministic', text, limitations: limitationsOf(session, range, cut) };
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];
}

/** The newest, in the order of the log. */
function listed<One>(cut: SummaryCut, all: readonly One[], show: (one: One) => string): readonly string[] {
  const shown = all.slice(-NAMED);
  cut.entries += all.length - shown.length;
  return shown.map(show);
}

function quoted(cut: SummaryCut, words: string): string {
  const line = words.trim().replaceAll(/\s+/g, ' ');
  const { text } = headOf(line, { bytes: QUOTED, lines: 1 });
  if (text.length === line.length) return line;
  cut.entries += 1;
  return `${text}…`;
}

function pathOf({ path }: Met): string {
  return path;
}

/** Calls that began, whatever became of them. */
function worked({ answers, calls, unclosed }: Gathered): string {
  const begun = calls.filter(({ effect, ended }) => effect !== undefined || ended !== undefined);
  const byName = Map.groupBy([...begun.map(({ name }) => name), ...unclosed], (name) => name);
  const named = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => `${name} ${all.length}`);
  const told = named.length === 0 ? 'no tool was called' : `calls: ${named.slice(0, NAMED).join(', ')}`;
  const failed = begun.filter(({ closing }) => closing === 'failed').length;
  return `${answers} answers; ${told}${failed === 0 ? '' : `; ${failed} of them failed`}`;
}

function limitationsOf(session: SessionId, { from, to }: Range, { entries: cut }: SummaryCut): readonly string[] {
  return [
    `It is lossy. The whole stands in the log of session ${session}, records ${from} to ${to}.`,
    'Files stay as that branch left them, which may not be as this conversation knows them: read them again before you rely on them.',
    'What commands did is only told by their names.',
    ...(cut === 0 ? [] : [`For length, ${cut} entries are shortened or left out.`]),
  ];
}
