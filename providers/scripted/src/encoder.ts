// The encoder of the twin: a body is lines of JSON, joined anew each time. Simple on purpose, to keep the port honest.

import type { Block, BodyWriter, Encoder, LoweredFront, Marker, NewHash, RefusedPlace } from '@tidemark/model';
import { canonicalText, ProviderError } from '@tidemark/model';
import { lowerFront, lowerSpan, PROVIDER } from './lower.ts';

/** One line for the parameters, one for each block with its marker, one for the envelope. */
export const scriptedEncoder: Encoder = {
  revision: 'scripted/1',
  lowerFront,
  lowerSpan,
  leastOutput: () => 0,
  locate,
  join,
};

/** A message is a line: one block. */
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

// By number: enough to notice that a history is open.
function requireClosed(blocks: readonly Block[]): void {
  let open = 0;
  for (const { holds, role } of blocks) {
    if (holds === 'call') open += 1;
    else if (holds === 'result') open -= 1;
    if (open < 0 || (open > 0 && role === 'user' && holds !== 'result')) throw unclosed();
  }
  if (open !== 0) throw unclosed();
}

function unclosed(): ProviderError {
  const message =
    'a call stands without its result, or a result without its call: repair the history before the request';
  return new ProviderError('refused', 'provider/unclosed-history', message, { provider: PROVIDER });
}
