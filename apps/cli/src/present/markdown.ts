// Renders records as Markdown for people: prompts, thinking, answers, calls and results. Internal records (requests,
// permissions, settings) are omitted, but the JSON export contains them. The text of a record is escaped, so no
// Markdown viewer interprets it as HTML.

import type { AnswerPart, ContentPart, RecordedOf, TurnEnded } from '@tidemark/log';

import type { AnswerRecord, ExportedRecord } from './answer-end.ts';
import { answerEnd } from './answer-end.ts';
import { fenceText, inlineCode, inlineWords, withoutHtml } from './without-html.ts';

/**
 * Returns a record as one block of Markdown. Returns an empty string for an internal record and for the end of a
 * completed turn.
 */
export function markdownOf({ record, turnEnd }: ExportedRecord): string {
  switch (record.kind) {
    case 'session.created':
      return beginningOf(record);
    case 'prompt.given':
      return `## ${record.data.steer === true ? 'Message during the turn' : 'Prompt'}\n\n${withoutHtml(contentOf(record.data.parts))}`;
    case 'notification.received':
      return blockQuote(`Notification from ${inlineWords(record.data.source)}: ${record.data.body}`);
    case 'context.noted':
      return blockQuote(
        `Note from ${inlineWords(record.data.source)}:\n${record.data.body ?? `artifact ${record.data.artifact ?? 'unknown'}`}`,
      );
    case 'epoch.opened':
      return `*Epoch ${record.data.number} (${record.data.cause}): ${inlineWords(record.data.model)}*`;
    case 'answer.received':
    case 'answer.interrupted':
      return answerOf(record, turnEnd);
    case 'tool.returned':
      return `Result:\n\n${fenceText(contentOf(record.data.parts))}`;
    case 'tool.failed':
      return `Failed:\n\n${fenceText(contentOf(record.data.parts))}`;
    case 'tool.abandoned':
      return `*The call was abandoned: ${record.data.reason}.*`;
    case 'history.compacted':
      return `## Checkpoint of records ${record.data.range.from} to ${record.data.range.to}\n\n${blockQuote(record.data.checkpoint)}`;
    case 'branch.summarized':
      return `## Abandoned branch\n\n${blockQuote(record.data.text)}`;
    case 'turn.ended':
      return record.data.outcome === 'completed' ? '' : endOf(record);
    default:
      return '';
  }
}

function beginningOf({ data, at, position }: RecordedOf<'session.created'>): string {
  const { id, title, parent, startedBy, workspace } = data;
  if (parent !== undefined)
    return `---\n\n*The fork ${id} continues after record ${parent.position} of ${parent.session} (${at}).*`;
  const heading = `${position === 0 ? '# ' : '## '}${inlineWords(title ?? id)}`;
  return `${heading}\n\n*${id}, ${at}, ${inlineWords(workspace)}${startedBy === undefined ? '' : `, a subagent of ${startedBy.session}`}*`;
}

function answerOf(record: AnswerRecord, turnEnd: TurnEnded | undefined): string {
  const { data } = record;
  if (data.stream !== 'main') return '';
  const sentence = answerEnd(record, turnEnd);
  const end = sentence === '' ? [] : [`*${inlineWords(sentence)}*`];
  return [`### ${inlineWords(data.model)}`, ...data.parts.map(partOf).filter((part) => part !== ''), ...end].join(
    '\n\n',
  );
}

function partOf(part: AnswerPart): string {
  switch (part.type) {
    case 'text':
    case 'native':
      return withoutHtml(part.text);
    case 'reasoning':
      return part.text.trim() === '' ? '' : blockQuote(part.text);
    case 'call':
      return `Calls ${inlineCode(part.name)}:\n\n${fenceText(part.arguments)}`;
  }
}

function contentOf(parts: readonly ContentPart[]): string {
  return parts
    .map((part) =>
      part.type === 'text'
        ? part.text
        : part.type === 'file'
          ? `[file ${part.path}]`
          : `[${part.mediaType}, artifact ${part.artifact}]`,
    )
    .join('\n');
}

function endOf({ data: { outcome, error } }: RecordedOf<'turn.ended'>): string {
  return `*The turn ended with the outcome ${outcome}${error === undefined ? '' : `: ${inlineWords(error.message)}`}.*`;
}

function blockQuote(text: string): string {
  return withoutHtml(text).replaceAll(/^/gm, '> ');
}
