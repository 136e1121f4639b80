// An artifact has a bound: of a longer stream it keeps the beginning and the end, and says in between what is left out (L6).

import type { LastBytes } from './last-bytes.ts';
import { lastBytes } from './last-bytes.ts';
import { wholeCharacters } from './utf8.ts';

/** The end that is kept of a stream above the bound; held in memory until it is over. */
const END = 1_048_576;
/** What the line in between takes at most. */
const NOTICE = 100;

/** The stream, or what its first and last bytes within the bound are. Each chunk is well-formed UTF-8. */
export async function* boundBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  keep: number,
): AsyncIterable<Uint8Array> {
  const end = Math.min(END, Math.floor(keep / 4));
  const beginning = keep - end - NOTICE;
  let total = 0;
  let passed = 0;
  let last: LastBytes | undefined;
  for await (const chunk of chunks) {
    total += chunk.length;
    const cut = last === undefined ? wholeCharacters(chunk, beginning - passed) : 0;
    passed += cut;
    if (cut > 0) yield chunk.subarray(0, cut);
    if (cut === chunk.length) continue;
    last ??= lastBytes(keep - passed);
    last.add(chunk.subarray(cut));
  }
  if (last === undefined) return;
  const rest = last.take();
  if (total <= keep) {
    yield rest;
    return;
  }
  const kept = endOf(rest, end);
  yield Buffer.from(`\n[tidemark: ${total - passed - kept.length} bytes are left out here]\n`);
  yield kept;
}

/** At most so many of the last bytes, from a whole character on. */
function endOf(bytes: Uint8Array, most: number): Uint8Array {
  const last = lastBytes(most);
  last.add(bytes);
  return last.take();
}
