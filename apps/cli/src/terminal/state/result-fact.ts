// Fact about the result of a call, for its line in the conversation: the lines, matches, files or bytes that came of it.

import { formatCount, formatNumber } from '../../frame/numbers.ts';
import type { EndedCall } from './call-results.ts';

/** Tools whose lines show the result in another way. */
const SHOWN_OTHERWISE: readonly string[] = [
  'agent',
  'bash',
  'edit',
  'memory_update',
  'plan',
  'process',
  'skill_load',
  'write',
];

/** Returns the fact about the result of a call. Returns `undefined` if its line shows the result in another way. */
export function resultFact({ tool, outcome, text, lines }: EndedCall): string | undefined {
  if (outcome !== 'ok' || SHOWN_OTHERWISE.includes(tool)) return undefined;
  if (tool === 'grep' || tool === 'find') return searchFact(text);
  if (tool === 'fetch') return fetchFact(text);
  if (tool === 'web_search') return formatCount(countOf(text, /^\d+\. /gm), 'result');
  if (tool === 'ls') return entriesFact(text);
  return lines === undefined ? linesFact(text) : formatCount(lines, 'line');
}

/** The first line of a search result is a summary, such as `[3 lines in 2 files]`. */
function searchFact(text: string): string | undefined {
  if (/^\[no (?:line|file) matches/.test(text)) return 'no match';
  return /^\[((?:at least )?\d+ (?:lines?|files?)(?: in \d+ files?)?)/.exec(text)?.[1];
}

/** The first line of a fetched page names its address, its status and its type. */
function fetchFact(text: string): string | undefined {
  const [head = ''] = text.split('\n', 1);
  if (/ redirects with status \d+ /.test(head)) return 'redirect, not followed';
  const status = /; status (\d+)/.exec(head)?.[1];
  const whole = /\[characters \d+ to \d+ of (\d+)[^\n]*\]$/.exec(text)?.[1];
  const length = formatCount(
    whole === undefined ? Math.max(0, text.length - head.length - 1) : Number(whole),
    'character',
  );
  return status === undefined ? undefined : `status ${status}, ${length}`;
}

function entriesFact(text: string): string | undefined {
  if (/^\[.* is empty\]$/.test(text)) return 'empty';
  if (/^\[.* is a file of/.test(text)) return 'a file';
  const count = countOf(text, /^(?!\[only the first ).+/gm);
  return count === 1 ? '1 entry' : `${formatNumber(count)} entries`;
}

/** The last line of a page in brackets names its lines. */
function linesFact(text: string): string | undefined {
  const note = /(?:^|\n)\[([^\n]*)\]$/.exec(text);
  const extent = /^lines (\d+-\d+ of [\w ]+)/.exec(note?.[1] ?? '')?.[1];
  if (extent !== undefined) return `lines ${extent}`;
  if (text.startsWith('[image/')) return 'image';
  const page = note === null ? text : text.slice(0, note.index);
  if (note !== null && page === '') return note[1]?.endsWith(' is empty') === true ? 'empty' : undefined;
  return page === '' ? undefined : formatCount(page.replace(/\n$/, '').split('\n').length, 'line');
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
