// Texts of a record that a search finds: the title of the session, a prompt, an answer, and the paths of files.

import { filesOf } from '@tidemark/context';
import type { AnswerPart, CallId, ContentPart, Position, Recorded } from '@tidemark/log';

/** Texts of a record. A text that it does not have is empty. */
export interface RecordTexts {
  readonly title: string;
  readonly prompt: string;
  readonly answer: string;
  /** Paths of the files that a call read or changed. */
  readonly files: string;
}

/** Row of the texts of a record. */
export interface TextEntry extends RecordTexts {
  readonly position: Position;
}

/** Longest text of a kind for one record, in UTF-16 units. The rest is not found. */
const LONGEST = 4_000;

const NONE: RecordTexts = { title: '', prompt: '', answer: '', files: '' };

/**
 * Returns the texts of a record, or `undefined` if it has none. Results of tools and reasoning have no text for a search.
 * The files of a session of this runtime are those that its tools report. The files of an import are those that the
 * arguments of its calls name.
 */
export function recordTexts(record: Recorded, imported: boolean): RecordTexts | undefined {
  switch (record.kind) {
    case 'session.created':
      return bounded({ title: record.data.title ?? '' });
    case 'prompt.given':
      return bounded({ prompt: record.data.parts.map(textOfPart).join('\n') });
    case 'answer.received':
    case 'answer.interrupted': {
      if (record.data.stream !== 'main') return undefined;
      const { parts } = record.data;
      const answer = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      return bounded({ answer, files: imported ? filesOfCalls(parts, record.position).join('\n') : '' });
    }
    case 'tool.returned':
    case 'tool.failed':
      return bounded({ files: (record.data.files ?? []).map(({ path }) => path).join('\n') });
    default:
      return undefined;
  }
}

function textOfPart(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  return part.type === 'file' ? part.path : '';
}

function filesOfCalls(parts: readonly AnswerPart<CallId>[], position: Position): readonly string[] {
  const calls = parts.flatMap((part) => {
    if (part.type !== 'call') return [];
    const { call, name, arguments: input } = part;
    return [{ call, position, asked: position, name, arguments: input, closing: 'returned' as const }];
  });
  return filesOf(calls).map(({ path }) => path);
}

function bounded(texts: Partial<RecordTexts>): RecordTexts | undefined {
  const { title, prompt, answer, files } = { ...NONE, ...texts };
  if (title === '' && prompt === '' && answer === '' && files === '') return undefined;
  const cut = (text: string): string => text.slice(0, LONGEST);
  return { title: cut(title), prompt: cut(prompt), answer: cut(answer), files: cut(files) };
}
