// Encoder of the scripted provider. A body is lines of JSON and is built from scratch each time. The encoder is
// deliberately simple, to check that the provider port works for a format unlike those of the real APIs.

import type {
  AddedTool,
  Block,
  BodyWriter,
  Encoder,
  Front,
  JsonValue,
  LoweredFront,
  Lowering,
  Marker,
  NewHash,
  Part,
  RefusedPlace,
  Span,
} from '@tidemark/model';
import { canonicalText, isBlank, ProviderError } from '@tidemark/model';

/**
 * Encoder of the scripted provider. A body has one line for the parameters, one for each block with its marker, and one
 * for the envelope.
 */
export const scriptedEncoder: Encoder = {
  revision: 'scripted/1',
  lowerFront,
  lowerSpan,
  leastOutput: () => 0,
  locate,
  join,
};

/**
 * Returns the index of the block that holds the refused message, as a list with one element. Returns an empty list if
 * no such message exists. Each message of this format is one line and one block.
 */
function locate({ message }: RefusedPlace, blocks: readonly Block[]): readonly number[] {
  const front = blocks.findIndex(({ section }) => section === 'messages');
  return message === undefined || front === -1 || front + message >= blocks.length ? [] : [front + message];
}

function join(front: LoweredFront, newHash: NewHash): BodyWriter {
  const write: BodyWriter['write'] = (blocks, markers, envelope) => {
    requireClosed(blocks);
    const marks = new Map(markers.map(({ block, ttl }) => [block, ttl]));
    const lines = blocks.map((block, index) => block.head + mark(marks.get(index)) + block.tail);
    const { outputLimit, fields } = envelope;
    const text = [front.parameters, ...lines, canonicalText({ outputLimit, fields }), ''].join('\n');
    const body = new TextEncoder().encode(text);
    return { body, digest: newHash().update(body).hex() };
  };
  return { write, digest: (...given) => write(...given).digest };
}

function mark(ttl: Marker['ttl'] | undefined): string {
  return ttl === undefined ? '' : `,"marker":"${ttl}"`;
}

// Compares the number of calls with the number of results, but not their ids. This is enough to find a history with a
// call that has no result.
function requireClosed(blocks: readonly Block[]): void {
  let open = 0;
  for (const { holds, role } of blocks) {
    if (holds === 'call') open += 1;
    else if (holds === 'result') open -= 1;
    if (open < 0 || (open > 0 && role === 'user' && holds !== 'result')) throw unclosedError();
  }
  if (open !== 0) throw unclosedError();
}

function unclosedError(): ProviderError {
  const message = 'a call has no result, or a result has no call: repair the history before the request';
  return new ProviderError('refused', 'provider/unclosed-history', message, { provider: PROVIDER });
}

/** Name of this provider in errors and spans. */
export const PROVIDER = 'scripted';

function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  const tools = front.tools.map((tool): Block => ({
    ...frontBlock(`{"tool":${tool.definition}`, 'tools', 'tool', lowering),
    origin: tool.origin,
  }));
  const system = front.system
    .filter(({ text }) => !isBlank(text))
    .map(({ text, origin }): Block => ({
      ...frontBlock(`{"system":${canonicalText(text)}`, 'system', 'text', lowering),
      origin,
    }));
  const parameters = canonicalText({ ...front.parameters, model: front.model });
  return { front, blocks: [...tools, ...system], parameters };
}

/**
 * Lowers a span to one block per part, with results first. Omits blank text, reasoning of another provider or model,
 * and reasoning with no part after it, as every other provider does.
 */
function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const packed = [...span.parts.entries()].filter(([, part]) => isPacked(part, lowering));
  const last = packed.findLastIndex(([, part]) => part.type !== 'reasoning');
  const parts = packed.slice(0, last + 1);
  const results = parts.filter(([, part]) => part.type === 'result');
  const inOrder = [...results, ...parts.filter(([, part]) => part.type !== 'result')];
  return inOrder.map(([place, part], index) => {
    const { role, group } = span;
    const head = canonicalText({ role, group, part: partValue(part) }).slice(0, -1);
    return {
      section: 'messages',
      role,
      group,
      head,
      tail: '}',
      markable: part.type !== 'reasoning',
      run: part.type === 'call' ? 'calls' : part.type === 'result' ? 'results' : 'none',
      holds: part.type === 'reasoning' ? 'thinking' : part.type,
      opensTurn: span.opensTurn && index === 0,
      origin: span.origin,
      part: place,
      tokens: lowering.estimate(head),
      mediaBytes: part.type === 'image' ? part.bytes : 0,
    };
  });
}

function frontBlock(
  head: string,
  section: 'tools' | 'system',
  holds: 'tool' | 'text',
  lowering: Lowering,
): Omit<Block, 'origin'> {
  const tokens = lowering.estimate(head);
  const fixed = { role: 'system', group: -1, markable: true, run: 'none', opensTurn: false, mediaBytes: 0 } as const;
  return { ...fixed, section, holds, head, tail: '}', tokens };
}

function isPacked(part: Part, lowering: Lowering): boolean {
  if (part.type === 'text') return !isBlank(part.text);
  if (part.type !== 'reasoning') return true;
  return part.opaque !== undefined && part.provider === PROVIDER && part.model === lowering.model;
}

function addedValue({ name, definition, known = false }: AddedTool): JsonValue {
  return { name, definition, known };
}

function partValue(part: Part): JsonValue {
  switch (part.type) {
    case 'text':
      return { type: part.type, text: part.text };
    case 'image':
      return { type: part.type, artifact: part.artifact, mediaType: part.mediaType, bytes: part.bytes };
    case 'reasoning':
      return { type: part.type, opaque: part.opaque };
    case 'call':
      return { type: part.type, call: part.call, name: part.name, arguments: part.arguments };
    case 'native':
      return { type: part.type, provider: part.provider, item: part.item };
    case 'result':
      return { type: part.type, call: part.call, error: part.error, content: part.content.map(partValue) };
    case 'change':
      if (part.change === 'role') return { type: part.type, change: part.change, text: part.text };
      return part.change === 'reasoning'
        ? { type: part.type, change: part.change, setting: part.setting }
        : { type: part.type, change: part.change, added: part.added.map(addedValue), removed: part.removed };
  }
}
