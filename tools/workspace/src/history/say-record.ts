// Renders a record of the log for the model: the text of a prompt, an answer, a tool result, a note or a checkpoint. If
// a record was never shown to a model, it has no text.

import type { AnswerPart, ContentPart, Recorded } from '@tidemark/log';

/** Groups of records that a search can be limited to. */
export const KINDS = ['prompts', 'answers', 'results', 'notes', 'checkpoints'] as const;

/** Name of a group of records in `KINDS`. */
export type SaidKind = (typeof KINDS)[number];

/** Group, title and texts of a rendered record. */
export interface RecordWords {
  readonly kind: SaidKind;
  /** Short description of the record, such as `prompt` or `result of call_7`. */
  readonly title: string;
  /** Texts of the parts, in recorded order. */
  readonly parts: readonly string[];
}

/** Returns the rendered record. If the record was never shown to a model, returns `undefined`. */
export function sayRecord(record: Recorded): RecordWords | undefined {
  switch (record.kind) {
    case 'prompt.given':
      return { kind: 'prompts', title: 'prompt', parts: record.data.parts.map(sayContent) };
    case 'notification.received':
      return { kind: 'notes', title: `notification from ${record.data.source}`, parts: [record.data.body] };
    case 'context.noted': {
      const { source, body, artifact } = record.data;
      return {
        kind: 'notes',
        title: `note of ${source}`,
        parts: [body ?? `The text of the note is the output ${artifact}: read it with output_read.`],
      };
    }
    case 'answer.received':
      return { kind: 'answers', title: 'answer', parts: record.data.parts.map(sayAnswer) };
    case 'answer.interrupted':
      return { kind: 'answers', title: 'interrupted answer', parts: record.data.parts.map(sayAnswer) };
    case 'tool.returned':
      return { kind: 'results', title: `result of ${record.data.call}`, parts: record.data.parts.map(sayContent) };
    case 'tool.failed':
      return { kind: 'results', title: `error of ${record.data.call}`, parts: record.data.parts.map(sayContent) };
    case 'tool.abandoned':
      return { kind: 'results', title: `abandoned ${record.data.call}`, parts: [record.data.reason] };
    case 'history.compacted': {
      const { checkpoint, limitations, range } = record.data;
      const title = `checkpoint of positions ${range.from} to ${range.to}`;
      return { kind: 'checkpoints', title, parts: [checkpoint, ...limitations] };
    }
    case 'branch.summarized':
      return {
        kind: 'checkpoints',
        title: 'summary of a branch',
        parts: [record.data.text, ...record.data.limitations],
      };
    default:
      return undefined;
  }
}

function sayContent(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
      return `[image, ${part.mediaType}, ${part.bytes} bytes]`;
    case 'file':
      return `[file ${part.path}]`;
  }
}

function sayAnswer(part: AnswerPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return part.text === '' ? '[reasoning, not readable]' : `[reasoning] ${part.text}`;
    case 'call':
      return `[${part.call} calls ${part.name}] ${part.arguments}`;
    case 'native':
      return part.text === '' ? '[a block of the provider]' : part.text;
  }
}

/** Returns the first line of a rendered record: its position, title and time. */
export function headOf({ position, at }: Recorded, { title }: RecordWords): string {
  return `#${position} ${title}, ${at}`;
}
