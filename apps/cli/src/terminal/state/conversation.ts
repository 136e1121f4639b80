// Conversation: folds the events of a session into final blocks and the live part, which still changes. Every block
// comes from a committed event.

import type { AnswerPart, ContentPart, Recorded, RecordedOf } from '@tidemark/log';
import type { SessionEvent } from '@tidemark/agent';

import { callTitle } from '../../present/tool-line.ts';
import { withStyle } from '../../frame/shown.ts';
import type { PrintedBlock, PrintedCall } from './blocks.ts';
import type { GrowingList } from './growing-list.ts';
import { growingList } from './growing-list.ts';

/** Conversation as the terminal shows it. */
export interface Conversation {
  /** Final blocks. */
  readonly blocks: GrowingList<PrintedBlock>;
  readonly live: LivePart;
}

/** Part of the conversation that still changes. */
export interface LivePart {
  /** Text of the answer that is arriving. */
  readonly answer: string;
  readonly reasoning: string;
  /** Calls that have no result yet, oldest first. */
  readonly calls: readonly LiveCall[];
}

/** A tool call that has no result yet. */
export interface LiveCall {
  readonly call: string;
  readonly tool: string;
  readonly title: string;
  readonly arguments: string;
  /** Time at which the call started, in milliseconds since 1970. `undefined` if it waits. */
  readonly startedAt?: number;
  readonly denied?: true;
  /** Last progress that the tool reported. */
  readonly progress?: string;
  /** End of the output so far. It is masked and may contain control characters. */
  readonly output?: string;
}

const NOTHING_LIVE: LivePart = { answer: '', reasoning: '', calls: [] };

/** Conversation of a session without records. */
export const EMPTY_CONVERSATION: Conversation = { blocks: growingList(), live: NOTHING_LIVE };

/** Returns the conversation after an event. */
export function foldEvent(conversation: Conversation, event: SessionEvent): Conversation {
  switch (event.type) {
    case 'recorded':
      return foldRecord(conversation, event.record);
    case 'text.delta':
      return withLive(conversation, { answer: conversation.live.answer + event.text });
    case 'reasoning.delta':
      return withLive(conversation, { reasoning: conversation.live.reasoning + event.text });
    case 'tool.progressed':
      return withCall(conversation, event.call, { progress: event.text });
    case 'tool.output':
      return withOutput(conversation, event.call, event.text);
    case 'notice.raised': {
      const { message, next, code } = event.notice;
      const text = [withStyle('yellow', 'notice'), `: ${message}${next === '' ? '' : `; ${next}`}`];
      return add(conversation, { kind: 'lines', key: `${code}-${conversation.blocks.length}`, lines: [text] });
    }
    case 'tool.threw':
    case 'status.changed':
    case 'cache.warming':
      return conversation;
  }
}

/** Number of characters of a running call's output that are kept. */
const KEPT_OUTPUT = 16_384;

function withOutput(conversation: Conversation, call: string, text: string): Conversation {
  const before = conversation.live.calls.find((one) => one.call === call)?.output ?? '';
  return withCall(conversation, call, { output: (before + text).slice(-KEPT_OUTPUT) });
}

/** Returns the conversation after a committed record. */
export function foldRecord(conversation: Conversation, record: Recorded): Conversation {
  const key = String(record.position);
  switch (record.kind) {
    case 'prompt.given': {
      const { parts, steer } = record.data;
      return add(conversation, { kind: 'prompt', key, text: textOf(parts), steer: steer === true });
    }
    case 'answer.received':
    case 'answer.interrupted':
      return record.data.stream === 'main' ? foldAnswer(conversation, key, record.data.parts) : conversation;
    case 'answer.failed':
      return withLive(conversation, { answer: '', reasoning: '' });
    case 'permission.decided':
      return record.data.decision === 'denied'
        ? withCall(conversation, record.data.call, { denied: true })
        : conversation;
    case 'tool.started':
      return withCall(conversation, record.data.call, { startedAt: Date.parse(record.at) });
    case 'tool.returned':
    case 'tool.failed':
      return foldToolEnd(conversation, record);
    case 'tool.abandoned':
      return endCall(conversation, record.data.call, { key, outcome: 'interrupted' });
    default:
      return conversation;
  }
}

function foldAnswer(conversation: Conversation, key: string, parts: readonly AnswerPart[]): Conversation {
  const blocks = parts.flatMap((part, index): PrintedBlock[] => {
    const own = `${key}.${index}`;
    if (part.type === 'text' && part.text.trim() !== '') return [{ kind: 'answer', key: own, text: part.text }];
    return [];
  });
  const calls = parts.flatMap((part): LiveCall[] =>
    part.type === 'call'
      ? [{ call: part.call, tool: part.name, title: callTitle(part.name, part.arguments), arguments: part.arguments }]
      : [],
  );
  return {
    blocks: conversation.blocks.append(blocks),
    live: { answer: '', reasoning: '', calls: [...conversation.live.calls, ...calls] },
  };
}

function foldToolEnd(conversation: Conversation, record: RecordedOf<'tool.returned' | 'tool.failed'>): Conversation {
  const { call, durationMs, exit, parts } = record.data;
  const denied = conversation.live.calls.find((one) => one.call === call)?.denied === true;
  const failed = record.kind === 'tool.failed';
  return endCall(conversation, call, {
    key: String(record.position),
    outcome: denied ? 'denied' : failed ? 'failed' : 'ok',
    ...(durationMs !== undefined && { durationMs }),
    ...(exit !== undefined && { exit }),
    ...(failed && !denied && { error: textOf(parts) }),
  });
}

function endCall(
  conversation: Conversation,
  call: string,
  end: Omit<PrintedCall, 'kind' | 'call' | 'tool' | 'title'>,
): Conversation {
  const open = conversation.live.calls.find((one) => one.call === call);
  const { tool, title } = open ?? { tool: '', title: call };
  const calls = conversation.live.calls.filter((one) => one.call !== call);
  return add(withLive(conversation, { calls }), { kind: 'tool', call, tool, title, ...end });
}

/** Returns the conversation with a block that Tidemark adds itself. */
export function add({ blocks, live }: Conversation, block: PrintedBlock): Conversation {
  return { blocks: blocks.append([block]), live };
}

function withLive({ blocks, live }: Conversation, change: Partial<LivePart>): Conversation {
  return { blocks, live: { ...live, ...change } };
}

function withCall(conversation: Conversation, call: string, change: Partial<LiveCall>): Conversation {
  const calls = conversation.live.calls.map((one) => (one.call === call ? { ...one, ...change } : one));
  return withLive(conversation, { calls });
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
