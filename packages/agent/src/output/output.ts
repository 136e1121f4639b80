// Output of a call. It is masked while it is written, and shortened only at the end. A short output stays in memory. A
// long output is streamed whole into an artifact, at the speed of the store. Only its beginning and its end are kept in
// memory for the model.

import type { Artifacts, Digest, Shaping } from '@tidemark/log';
import type { Secrets } from '../ports/secrets.ts';
import type { OutputLimits } from './result-limits.ts';
import { LARGEST_RESULT } from './result-limits.ts';
import type { LastBytes } from './shape-output.ts';
import { cutOutput, lastBytes, openUtf8, wholeCharacters, wholeOutput } from './shape-output.ts';
import type { ShownEnds } from './shown-ends.ts';
import { openJoinedSecrets, openShownEnds } from './shown-ends.ts';

/** An output in the form that is committed. */
export interface ShapedOutput {
  /**
   * Text for the model, within the limits. The notices are part of it and count too. The limits must leave room for the
   * notices, which need at most 1 KiB and four lines.
   */
  readonly text: string;
  /** Artifact with the whole output. Absent if `text` is the whole output. */
  readonly output?: Digest;
  readonly shaping?: Shaping;
}

export interface ShapeOptions {
  readonly limits: OutputLimits;
  /** Part of the output that the model is shown: `head` is the beginning, `tail` is the end. */
  readonly keeps: 'head' | 'tail';
}

/** An open output. Write to it sequentially: await each write before the next. */
export interface ToolOutputSink {
  /**
   * Writes a chunk. Returns when the bytes are accepted, so a fast writer must wait (backpressure).
   *
   * @throws what the store throws: `artifact/write-failed`.
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /**
   * Ends the output and returns its shortened form.
   *
   * @throws what the store throws.
   */
  finish(options: ShapeOptions): Promise<ShapedOutput>;
  /** Discards the output. Later writes have no effect. */
  drop(): void;
}

interface OutputOptions {
  readonly artifacts: Artifacts;
  readonly secrets: Secrets;
  /** Maximum bytes of the output that the artifact contains. Default: 256 MiB. */
  readonly keep?: number;
  /**
   * True if the model is shown the output as a terminal shows it, without control sequences. The artifact then contains
   * the output as it was written. Default: false.
   */
  readonly terminal?: boolean;
}

interface Spill {
  readonly channel: Channel<Uint8Array>;
  readonly shown: ShownEnds;
  readonly put: Promise<Digest>;
}

const KEEP = 256 * 1_024 * 1_024;

/**
 * Opens an output. Nothing is stored until more than `LARGEST_RESULT` bytes are written or the output has to be cut.
 */
export function openOutput({ artifacts, secrets, keep = KEEP, terminal = false }: OutputOptions): ToolOutputSink {
  const utf8 = openUtf8();
  const joined = terminal ? openJoinedSecrets(secrets) : undefined;
  let held: Uint8Array[] = [];
  let size = 0;
  let spill: Spill | undefined;
  let isDropped = false;
  const take = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length === 0 || isDropped) return;
    size += bytes.length;
    // The bytes are copied, because the writer may reuse its buffer.
    held.push(Buffer.from(bytes));
    if (size <= LARGEST_RESULT) return;
    spill ??= openSpill({ artifacts, secrets, keep, terminal });
    const chunk = Buffer.concat(held);
    held = [];
    await pass(spill, joined === undefined ? chunk : await joined.push(chunk));
  };
  const short = async (): Promise<Stored> => {
    const bytes = Buffer.concat(held);
    const whole = joined === undefined ? bytes : Buffer.concat([await joined.push(bytes), await joined.end()]);
    const text = await secrets.mask(whole.toString());
    const shown = openShownEnds(terminal);
    shown.add(Buffer.from(text));
    return { ...shown.end(), digest: () => put(artifacts, [Buffer.from(text)], keep) };
  };
  const long = async (to: Spill): Promise<Stored> => {
    if (joined !== undefined) await pass(to, await joined.end());
    to.channel.close();
    const digest = await to.put;
    return { ...to.shown.end(), digest: async () => digest };
  };
  return {
    write: (chunk) => take(utf8.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    async finish({ limits, keeps }) {
      await take(utf8.end());
      const { replaced } = utf8;
      const { view, bytes, isChanged, overwrote, digest } = await (spill === undefined ? short() : long(spill));
      const whole = wholeOutput(view, { limits, replaced, overwrote });
      if (whole !== undefined) return isChanged ? { text: whole, output: await digest() } : { text: whole };
      const output = await digest();
      const isStoredWhole = bytes <= keep;
      const cut = { limits, keeps, replaced, overwrote, digest: output, keep, isStoredWhole };
      return { ...cutOutput(view, cut), output };
    },
    drop() {
      isDropped = true;
      held = [];
      spill?.channel.fail(new Error('the output was discarded'));
    },
  };
}

function openSpill({ artifacts, secrets, keep, terminal }: Required<OutputOptions>): Spill {
  const channel = openChannel<Uint8Array>();
  const shown = openShownEnds(terminal);
  const landing = put(artifacts, watchEnds(secrets.maskStream(channel.items), shown), keep);
  // If the artifact cannot be stored, the next write and the end of the output are rejected.
  landing.catch((error: unknown) => channel.fail(error));
  return { channel, shown, put: landing };
}

async function pass({ channel }: Spill, chunk: Uint8Array): Promise<void> {
  if (chunk.length > 0) await channel.send(chunk);
}

async function* watchEnds(chunks: AsyncIterable<Uint8Array>, shown: ShownEnds): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    shown.add(chunk);
    yield chunk;
  }
}

/** An output that was written to its end, and the function that stores it if it is not stored yet. */
interface Stored extends ReturnType<ShownEnds['end']> {
  digest(): Promise<Digest>;
}

async function put(
  artifacts: Artifacts,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  keep: number,
): Promise<Digest> {
  return (await artifacts.put(boundBytes(chunks, keep))).digest;
}

/**
 * Channel from a sender to a receiver, for one value at a time. After each value, the sender waits until the receiver
 * has processed it.
 */
interface Channel<T> {
  /**
   * Sends a value. Returns when the receiver asks for the next value or has stopped reading. Call `send` again only
   * after it has returned.
   *
   * @throws the error that was passed to `fail`.
   */
  send(value: T): Promise<void>;
  /** Closes the channel after the last value. */
  close(): void;
  /** Ends the channel for both sides with this error. */
  fail(error: unknown): void;
  /** Values of the channel, for a single receiver. */
  readonly items: AsyncIterable<T>;
}

export function openChannel<T>(): Channel<T> {
  let asked = Promise.withResolvers<void>();
  let failure: { readonly error: unknown } | undefined;
  let isClosed = false;
  let control: ReadableStreamDefaultController<T> | undefined;
  const end = (): void => {
    isClosed = true;
    asked.resolve();
  };
  const source = {
    start: (controller: ReadableStreamDefaultController<T>): void => {
      control = controller;
    },
    pull: () => asked.resolve(),
    cancel: end,
  };
  return {
    async send(value) {
      if (!isClosed) {
        asked = Promise.withResolvers();
        control?.enqueue(value);
        await asked.promise;
      }
      if (failure !== undefined) throw failure.error;
    },
    close() {
      if (!isClosed) control?.close();
      end();
    },
    fail(error) {
      failure ??= { error };
      control?.error(error);
      end();
    },
    // The stream stores no values. It asks for a value only when the receiver asks for one.
    items: new ReadableStream(source, { highWaterMark: 0 }),
  };
}

/** Number of bytes kept from the end of a stream that exceeds the limit. They stay in memory until the stream ends. */
const END = 1_048_576;
/** Maximum bytes of the notice between the beginning and the end. */
const NOTICE = 100;

/**
 * Yields a stream unchanged if it has at most `keep` bytes. Otherwise yields its beginning, a notice and its end. Each
 * chunk must be well-formed UTF-8.
 */
async function* boundBytes(
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
  yield Buffer.from(`\n[tidemark: ${total - passed - kept.length} bytes are omitted here]\n`);
  yield kept;
}

/** Returns at most `most` of the last bytes, beginning with a whole character. */
function endOf(bytes: Uint8Array, most: number): Uint8Array {
  const last = lastBytes(most);
  last.add(bytes);
  return last.take();
}
