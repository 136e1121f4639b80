// Message threads: the service stores a conversation for five minutes, so a request sends only its new messages
// (provider-facts §1.7; docs, build-with-claude/message-threads). If a request continues a thread, the whole history is
// added to it before any other check.

import { contentOf } from '../core/answer.ts';
import type { AnswerBlock } from '../core/answer.ts';
import { invalid, refuse } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isList, isObject, isPresent, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

/** Beta header that a request needs for the field `thread`. */
const BETA = 'message-threads-2026-08-12';

/** A thread can be continued for five minutes after its latest response began. */
const LONGEST_MS = 5 * 60 * 1000;

/** Fields that the service takes from the thread. If a request continues a thread, it must not have these fields. */
const CREATE_ONLY = ['system', 'tools'] as const;

/**
 * Fields that must not change in a thread. Reports of users name these fields. The documentation has no complete list
 * ([I]).
 */
const FIXED = ['model', 'thinking', 'tool_choice', 'output_config', 'cache_control'] as const;

/** Request that can create or continue a thread: its fields, its account, its beta headers and its time. */
export interface ThreadCall {
  readonly account: string;
  readonly betas: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Threads of all accounts. */
export interface Threads {
  /**
   * Returns the fields of a request with the history of its thread in `messages`, and with the thread's `system` and
   * `tools`. If the request has no `thread`, the fields are unchanged. If the service would not continue the thread,
   * returns a refusal.
   */
  expand(fields: WireObject, call: ThreadCall): WireObject | MessageRefusal;
  /** Marks the response that a request continues as used. The mark stays until `store` or `release` is called. */
  claim(fields: WireObject): void;
  /** Removes the mark of `claim` without storing a response. Used if the request was refused or lost its connection. */
  release(fields: WireObject): void;
  /**
   * Stores the conversation under the id of a response that begins at `call.at`. `fields` is the result of `expand`.
   */
  store(id: string, fields: WireObject, answer: readonly AnswerBlock[], call: ThreadCall): void;
}

interface StoredThread {
  readonly account: string;
  readonly fixed: ReadonlyMap<string, string>;
  readonly created: WireObject;
  readonly messages: readonly unknown[];
  readonly expires: number;
  state: 'open' | 'claimed' | 'continued';
}

const MOST = 1_000;

/** Creates an empty set that keeps the latest 1,000 responses of threads. */
export function createThreads(): Threads {
  const stored = new Map<string, StoredThread>();
  const latest = (fields: WireObject): StoredThread | undefined => stored.get(previousOf(fields) ?? '');
  return {
    expand(fields, call) {
      if (!isPresent(fields['thread'])) return fields;
      const previous = previousOf(fields);
      const wrong = checkThread(fields, call.betas);
      if (wrong !== undefined || previous === undefined) return wrong ?? fields;
      const thread = stored.get(previous);
      const lost = thread === undefined || thread.account !== call.account || call.at >= thread.expires;
      if (lost) return refuseThread('thread_not_found', `No usable thread state was found for '${previous}'.`, 404);
      return whyNotContinued(thread, fields, call) ?? joined(thread, fields);
    },
    claim: (fields) => setState(latest(fields), 'claimed'),
    release: (fields) => setState(latest(fields), 'open'),
    store(id, fields, answer, { account, betas, at }) {
      setState(latest(fields), 'continued');
      const messages = [...listAt(fields), { role: 'assistant', content: answer.map(contentOf) }];
      const { system, tools } = fields;
      stored.set(id, {
        account,
        fixed: fixedOf(fields, betas),
        created: { system, tools },
        messages: messages.map(withoutMarkers),
        expires: at + LONGEST_MS,
        state: 'open',
      });
      const oldest = stored.size > MOST ? stored.keys().next().value : undefined;
      if (oldest !== undefined) stored.delete(oldest);
    },
  };
}

function setState(thread: StoredThread | undefined, state: StoredThread['state']): void {
  if (thread !== undefined) thread.state = state;
}

/** Returns the id of the response that a request continues, or `undefined` if it continues none. */
function previousOf({ thread }: WireObject): string | undefined {
  if (!isObject(thread) || thread['type'] !== 'continue') return undefined;
  return textOf(thread['previous_message_id']);
}

function checkThread(fields: WireObject, betas: readonly string[]): MessageRefusal | undefined {
  const { thread } = fields;
  if (!betas.includes(BETA)) return invalid('thread: Extra inputs are not permitted');
  if (!isObject(thread)) return invalid('thread: Input should be a valid dictionary');
  const { type } = thread;
  if (type !== 'create' && type !== 'continue') {
    return invalid(
      `thread: Input tag '${textOf(type)}' found using 'type' does not match any of the expected tags: 'create', 'continue'`,
    );
  }
  if (type === 'create') return undefined;
  if (textOf(thread['previous_message_id']) === '')
    return invalid('thread.continue.previous_message_id: Field required');
  const repeated = CREATE_ONLY.find((name) => isPresent(fields[name]));
  return repeated === undefined
    ? undefined
    : invalid(`${repeated}: cannot be sent with thread.type 'continue', because the thread keeps its value`);
}

/** The error texts are the simulator's own. Clients recognise these refusals by `error.details.error_code`. */
function whyNotContinued(thread: StoredThread, fields: WireObject, { betas }: ThreadCall): MessageRefusal | undefined {
  const previous = previousOf(fields) ?? '';
  if (thread.state === 'continued') {
    return refuseThread('thread_already_continued', `The response '${previous}' has already been continued.`);
  }
  if (thread.state === 'claimed') {
    return refuseThread('thread_continue_in_flight', `Another request is still continuing from '${previous}'.`);
  }
  const now = fixedOf(fields, betas);
  const differing = [...now.keys()].filter((name) => now.get(name) !== thread.fixed.get(name));
  if (differing.length === 0) return undefined;
  const text = `The request does not match its thread. Differing field(s): ${differing.join(', ')}.`;
  return refuseThread('thread_fingerprint_mismatch', text);
}

function refuseThread(code: string, text: string, status: 400 | 404 = 400): MessageRefusal {
  const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
  const next = 'Send the whole conversation again with thread: {"type": "create"}.';
  return { ...refuse(status, type, `${text} ${next}`), details: { error_code: code } };
}

function fixedOf(fields: WireObject, betas: readonly string[]): ReadonlyMap<string, string> {
  const values = FIXED.map((name) => [name, JSON.stringify(fields[name] ?? null)] as const);
  return new Map([...values, ['anthropic-beta', betas.toSorted().join(',')]]);
}

function joined({ created, messages }: StoredThread, fields: WireObject): WireObject {
  const own = Object.entries(created).filter(([, value]) => isPresent(value));
  return { ...fields, ...Object.fromEntries(own), messages: [...messages, ...listAt(fields)] };
}

function listAt({ messages }: WireObject): readonly unknown[] {
  return isList(messages) ? messages : [];
}

/**
 * Removes the markers of stored messages, because only the markers of the new messages count in a continued thread. The
 * entries that the old markers wrote stay readable. Inferred ([I]): the SDK also removes the markers when it sends a
 * whole thread again.
 */
function withoutMarkers(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { cache_control: _marker, ...fields } = message;
  return isList(fields['content']) ? { ...fields, content: fields['content'].map(withoutMarkers) } : fields;
}
