// Writes the bodies of observed requests and computes their digests. The hash continues after the messages that the
// request shares with the previous one. The work is therefore proportional to the new messages.

import type { Json, ObservedMarker, RequestObserved } from '@tidemark/log';
import type { Hash } from '@tidemark/model';
import { newHash } from '../session/materials.ts';
import type { ObservedFields } from './observed-json.ts';
import { fieldsOf, sortedJson, withMarkers } from './observed-json.ts';

/** Message of an observed request: its JSON without markers. */
export interface ObservedMessage {
  readonly value: Json;
  readonly text: string;
}

/** Parts of a body. None of them is missing in the recording. */
export interface ObservedParts {
  readonly parameters: RequestObserved['parameters'];
  /** System text and tools. */
  readonly front: ObservedFields;
  readonly messages: readonly ObservedMessage[];
  readonly markers: readonly ObservedMarker[];
}

/** Body of an observed request: its digest, and a function that returns its text. */
export interface ObservedBody {
  readonly digest: string;
  readonly text: () => string;
}

/** Writes one body after the other. */
export interface ObservedBodyWriter {
  /** Writes a body. If a message is the same object as in the previous body, it is not hashed again. */
  write(parts: ObservedParts): ObservedBody;
}

/** State of the hash after the first `count` messages. None of these messages has a marker. */
interface HashedMessages {
  readonly head: string;
  readonly messages: readonly ObservedMessage[];
  readonly count: number;
  readonly hash: Hash;
}

/** Creates a writer without a previous body. */
export function createObservedBodyWriter(): ObservedBodyWriter {
  let held: HashedMessages | undefined;
  return {
    write(parts) {
      const { head, foot } = aroundMessages(parts);
      const marked = markedMessages(parts);
      const { messages } = parts;
      const first = Math.min(messages.length, ...marked.keys());
      const start = held !== undefined && beginsWith(parts, held, head, first) ? held : undefined;
      const hash = start === undefined ? newHash().update(head) : start.hash.copy();
      for (let index = start?.count ?? 0; index < messages.length; index += 1) {
        if (index === first) held = { head, messages, count: index, hash: hash.copy() };
        hash.update(index === 0 ? '' : ',').update(messageText(parts, marked, index));
      }
      if (first === messages.length) held = { head, messages, count: first, hash: hash.copy() };
      const text = (): string =>
        `${head}${messages.map((_, index) => messageText(parts, marked, index)).join(',')}${foot}`;
      return { digest: hash.update(foot).hex(), text };
    },
  };
}

/**
 * True if the hash of an earlier body can be continued. Both bodies must begin with the same text and then the same
 * messages.
 */
function beginsWith({ messages }: ObservedParts, held: HashedMessages, head: string, first: number): boolean {
  if (held.head !== head || held.count > first) return false;
  for (let index = 0; index < held.count; index += 1) if (held.messages[index] !== messages[index]) return false;
  return true;
}

function messageText(
  { messages }: ObservedParts,
  marked: ReadonlyMap<number, readonly ObservedMarker[]>,
  index: number,
): string {
  const message = messages[index];
  const markers = marked.get(index);
  if (message === undefined) return '';
  return markers === undefined ? message.text : sortedJson(withMarkers(message.value, markers, 2));
}

/** Returns the markers in messages, by the index of the message. */
function markedMessages({ markers }: ObservedParts): ReadonlyMap<number, readonly ObservedMarker[]> {
  const found = new Map<number, readonly ObservedMarker[]>();
  for (const marker of markers) {
    const [field, index] = marker.path;
    if (field === 'messages' && typeof index === 'number') found.set(index, [...(found.get(index) ?? []), marker]);
  }
  return found;
}

/** Returns the text before the first message and the text after the last one. */
function aroundMessages({ parameters, front, markers }: ObservedParts): {
  readonly head: string;
  readonly foot: string;
} {
  const fields = withMarkers(
    { ...parameters, ...front },
    markers.filter(({ path }) => path[0] !== 'messages'),
    0,
  );
  const text = sortedJson({ ...fieldsOf(fields), messages: [] });
  const at = text.indexOf('"messages":[]', messagesStart(fieldsOf(fields)));
  const end = at + '"messages":['.length;
  return { head: text.slice(0, end), foot: text.slice(end) };
}

/**
 * Returns the length of the fields that come before `messages`. A text inside these fields could otherwise be mistaken
 * for the field `messages`.
 */
function messagesStart(fields: ObservedFields): number {
  const before = Object.fromEntries(Object.entries(fields).filter(([name]) => name < 'messages'));
  return sortedJson(before).length - 1;
}
