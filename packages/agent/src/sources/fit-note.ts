// What of a note stands in the context: all of it, or its head with the digest under which the whole can be read (L6).
// Secrets are masked before the cut, which could halve one past recognition, and before the artifact is written.

import { createHash } from 'node:crypto';
import type { ContextNoted } from '@tidemark/log';
import { graphemesOf } from '@tidemark/model';
import type { Session } from '../session/session.ts';

/** Bytes of a note that stay inline, its own notice included: unless its source says otherwise, and at most. */
const INLINE_NOTE = 4_096;
const MOST_INLINE = 8_192;

const LONGEST_REVISION = 200;
const NOTICE = 220;

/** The body of a note, at most so many bytes, and the artifact of the whole where it is longer. */
export async function fitNote(
  { log, secrets }: Pick<Session, 'log' | 'secrets'>,
  text: string,
  inlineBytes: number = INLINE_NOTE,
): Promise<Pick<ContextNoted, 'body' | 'artifact'>> {
  const most = Math.min(Math.max(inlineBytes, INLINE_NOTE), MOST_INLINE);
  const whole = await secrets.mask(text);
  const bytes = Buffer.from(whole);
  if (bytes.length <= most) return { body: whole };
  const { digest, size } = await log.artifacts.put(bytes);
  const head = headOf(whole, most - NOTICE);
  const kept = Buffer.byteLength(head);
  const notice = `[The note is cut here, after ${kept} of ${size} bytes. The whole is the output ${digest}: read it with output_read.]`;
  return { body: `${head}\n${notice}`, artifact: digest };
}

/** A revision as it is kept and compared: masked like everything that is written down, and short. */
export async function fitRevision({ secrets }: Pick<Session, 'secrets'>, revision: string): Promise<string> {
  const masked = await secrets.mask(revision);
  return masked.length <= LONGEST_REVISION ? masked : createHash('sha256').update(masked).digest('hex');
}

/** The longest beginning within so many bytes: whole lines where that keeps half of it, else whole graphemes. */
function headOf(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const { segment, index } of graphemesOf(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > limit) break;
    end = index + segment.length;
  }
  const line = text.lastIndexOf('\n', end);
  return text.slice(0, line > end / 2 ? line : end);
}
