// A record of the log as a model may read it again: what was said, called, returned or noted, in its own words. Records that
// no model was ever shown say nothing.

import type { AnswerPart, ContentPart, Recorded } from '@tidemark/log';

/** The groups of records that can be asked for by name. */
export const KINDS = ['prompts', 'answers', 'results', 'notes', 'checkpoints'] as const;

/** One of them. */
export type SaidKind = (typeof KINDS)[number];

/** What a record says. */
export interface RecordWords {
  readonly kind: SaidKind;
  /** What it is, in a word or two: `prompt`, `result of call_7`. */
  readonly title: string;
  /** Its parts, in the order in which they were recorded. */
  readonly parts: readonly string[];
}

/** `undefined` for a record that no model was shown. */
export function sayRecord(record: Recorded): RecordWords | undefined {
  switch (record.kind) {
    case 'prompt.given':
      return { kind: 'prompts', title: 'prompt', parts: record.data.parts.map(sayContent) };
    case 'notification.received':
      return { kind: 'notes', title: `notification from ${record.data.source}`, parts: [record.data.body] };
    case 'context.noted': {
      const { source, body, artifact } = record.data;
      return { kind: 'notes', title: `note of ${source}`, parts: [body ?? `The note is the output ${artifact}.`] };
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
      return { kind: 'checkpoints', title: 'branch in short', parts: [record.data.text, ...record.data.limitations] };
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
      return part.text === '' ? '[reasoning, sealed]' : `[reasoning] ${part.text}`;
    case 'call':
      return `[${part.call} calls ${part.name}] ${part.arguments}`;
    case 'native':
      return part.text === '' ? '[a block of the provider]' : part.text;
  }
}

/** How a record begins where it is shown. */
export function headOf({ position, at }: Recorded, { title }: RecordWords): string {
  return `#${position} ${title}, ${at}`;
}
