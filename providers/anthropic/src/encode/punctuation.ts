// What stands between blocks. It depends on the two neighbours alone, so a body is the same however it was put together.

import type { Block, Envelope, Front } from '@tidemark/model';
import { canonicalText } from '@tidemark/model';
import type { BodyForm } from '@tidemark/provider-wire';
import { CALL_PREFIX, RESULT_PREFIX } from './call.ts';
import { LEVEL_PREFIX } from './change.ts';
import { bodyHeader, headerNames } from './parameters.ts';
import { refuse } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';

/** `{"model", parameters, "tools", "system", "messages", "max_tokens", "stream", fields}`. */
export const messagesForm: BodyForm = {
  service: ANTHROPIC,
  header: bodyHeader,
  between,
  joins,
  systemIsMessage: false,
  end: bodyEnd,
  // The 5 minute lifetime is the default and has no field.
  marks: { '5m': ',"cache_control":{"type":"ephemeral"}', '1h': ',"cache_control":{"type":"ephemeral","ttl":"1h"}' },
  callPrefix: CALL_PREFIX,
  resultPrefix: RESULT_PREFIX,
  callsLast: false,
};

const WRITTEN = new Set(['messages', 'system', 'tools', 'max_tokens', 'stream']);

/** The text between two neighbours; `undefined` stands for the beginning and for the end of the blocks. */
function between(before: Block | undefined, after: Block | undefined): string {
  if (before === undefined) return after === undefined ? '"messages":[]' : opening(after);
  if (after === undefined) return before.section === 'messages' ? `${closing(before)}]` : '],"messages":[]';
  if (before.section !== after.section) return `],${opening(after)}`;
  if (before.section !== 'messages') return ',';
  return joins(before, after) ? ',' : `${closing(before)},${message(after)}`;
}

function joins(before: Block, after: Block): boolean {
  return before.group === after.group && before.role === after.role;
}

/** The end of a body: what varies by call, and the closing brace. */
function bodyEnd(front: Front, envelope: Envelope): string {
  const taken = [...WRITTEN, ...headerNames(front)];
  const twice = Object.keys(envelope.fields).find((name) => taken.includes(name));
  if (twice !== undefined) {
    throw refuse(
      ANTHROPIC,
      'provider/invalid',
      `the field "${twice}" already stands in the body: leave it out of the envelope`,
    );
  }
  const fields = canonicalText(envelope.fields).slice(1, -1);
  // A request that only writes the cache is refused as a stream (provider facts 1.1, pre-warm).
  const stream = envelope.outputLimit === 0 ? '' : ',"stream":true';
  return `,"max_tokens":${envelope.outputLimit}${stream}${fields === '' ? '' : `,${fields}`}}`;
}

function opening(block: Block): string {
  return block.section === 'messages' ? `"messages":[${message(block)}` : `"${block.section}":[`;
}

function message(block: Block): string {
  return isWhole(block) ? '' : `{"role":"${block.role}","content":[`;
}

function closing(block: Block): string {
  return isWhole(block) ? '' : ']}';
}

/** A block that is a message by itself. */
function isWhole({ head }: Block): boolean {
  return head.startsWith(LEVEL_PREFIX);
}
