// What a branch did that is left behind, in short: from its records alone, in stable bytes, no model asked. It is bounded,
// and names what the bound left out.

import type { BranchSummarized, FileTouch, Range, Recorded, SessionId } from '@tidemark/log';
import { headOf } from '../commit/cut-text.ts';

/** Bytes of each text that is quoted. */
const QUOTED = 400;
/** Prompts, files and tools that are named of each kind. */
const NAMED = 12;

/** What was met on the way. */
interface Met {
  readonly prompts: string[];
  readonly tools: Map<string, number>;
  readonly files: Map<string, FileTouch['as']>;
  failed: number;
  steps: number;
  said: string;
  cut: number;
}

/** Sums up the records of a range of a session. */
export async function summarizeBranch(
  session: SessionId,
  range: Range,
  records: AsyncIterable<Recorded>,
): Promise<BranchSummarized> {
  const met: Met = { prompts: [], tools: new Map(), files: new Map(), failed: 0, steps: 0, said: '', cut: 0 };
  for await (const record of records) take(met, record);
  const text = [
    'The user went back to before what is told here. It is no longer part of this conversation.',
    ...section(
      'Asked there',
      listed(met, met.prompts, (words) => quoted(met, words)),
    ),
    ...section('Work', [worked(met)]),
    ...section('Files changed', listed(met, changed(met.files, 'written'), asItIs)),
    ...section('Files removed', listed(met, changed(met.files, 'removed'), asItIs)),
    ...section('Said last', met.said === '' ? [] : [quoted(met, met.said)]),
  ].join('\n');
  return { session, range, strategy: 'deterministic', text, limitations: limitationsOf(session, range, met) };
}

function take(met: Met, record: Recorded): void {
  switch (record.kind) {
    case 'prompt.given':
      met.prompts.push(record.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'));
      return;
    case 'answer.received': {
      if (record.data.stream !== 'main') return;
      met.steps += 1;
      const said = record.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      if (said.trim() !== '') met.said = said;
      return;
    }
    case 'tool.started':
      met.tools.set(record.data.name, (met.tools.get(record.data.name) ?? 0) + 1);
      return;
    case 'tool.returned':
    case 'tool.failed':
      if (record.kind === 'tool.failed') met.failed += 1;
      for (const { path, as } of record.data.files ?? []) if (as !== 'read') met.files.set(path, as);
      return;
    default:
  }
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];
}

/** The newest, in the order of the log. */
function listed(met: Met, all: readonly string[], show: (one: string) => string): readonly string[] {
  const shown = all.slice(-NAMED);
  met.cut += all.length - shown.length;
  return shown.map(show);
}

function quoted(met: Met, words: string): string {
  const line = words.trim().replaceAll(/\s+/g, ' ');
  const { text } = headOf(line, { bytes: QUOTED, lines: 1 });
  if (text.length === line.length) return line;
  met.cut += 1;
  return `${text}…`;
}

const asItIs = (text: string): string => text;

function changed(files: Met['files'], as: FileTouch['as']): readonly string[] {
  return [...files].filter(([, how]) => how === as).map(([path]) => path);
}

function worked({ steps, tools, failed }: Met): string {
  const named = [...tools].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, times]) => `${name} ${times}`);
  const calls = named.length === 0 ? 'no tool was called' : `calls: ${named.slice(0, NAMED).join(', ')}`;
  return `${steps} answers; ${calls}${failed === 0 ? '' : `; ${failed} of them failed`}`;
}

function limitationsOf(session: SessionId, { from, to }: Range, { cut }: Met): readonly string[] {
  return [
    `It is lossy. The whole stands in the log of session ${session}, records ${from} to ${to}.`,
    'Files stay as that branch left them, which may not be as this conversation knows them: read them again before you rely on them.',
    'What commands did is only told by their names.',
    ...(cut === 0 ? [] : [`For length, ${cut} entries are shortened or left out.`]),
  ];
}
