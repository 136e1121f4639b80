// What a call writes: masked as it comes, shaped once when it ends. A short output stays in memory. A long one streams
// whole into an artifact, as fast as the store takes it, while its two ends are held for the model.

import type { Artifacts, Digest, Shaping } from '@tidemark/log';
import type { Secrets } from '../ports/secrets.ts';
import type { OutputLimits } from './result-limits.ts';
import { LARGEST_RESULT } from './result-limits.ts';
import type { Ends, LastBytes } from './shape-output.ts';
import { cutOutput, lastBytes, openEnds, openUtf8, viewOf, wholeCharacters, wholeOutput } from './shape-output.ts';

/** An output as it is committed. */
export interface ShapedOutput {
  /** At most the limits, notices included; they must leave room for those: 1 KiB and four lines do. */
  readonly text: string;
  /** The artifact with the whole, where `text` is not the whole. */
  readonly output?: Digest;
  readonly shaping?: Shaping;
}

/** How an output is shaped. */
export interface ShapeOptions {
  readonly limits: OutputLimits;
  /** Which end the model is shown. */
  readonly keeps: 'head' | 'tail';
}

/** An open output. One at a time: await each write before the next. */
export interface ToolOutputSink {
  /** Returns when the bytes are taken: that is the backpressure. @throws what the store throws: `artifact/write-failed`. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Ends it. @throws what the store throws. */
  finish(options: ShapeOptions): Promise<ShapedOutput>;
  /** Throws it away. What is written afterwards goes nowhere. */
  drop(): void;
}

/** What an output is made with. */
interface OutputOptions {
  readonly artifacts: Artifacts;
  readonly secrets: Secrets;
  /** Most bytes that the artifact keeps of it. Default: 256 MiB. */
  readonly keep?: number;
}

/** A long output on its way into the store. */
interface Spill {
  readonly channel: Channel<Uint8Array>;
  readonly ends: Ends;
  readonly put: Promise<Digest>;
}

const KEEP = 256 * 1_024 * 1_024;

/** Begins an output. It costs nothing until something is written. */
export function openOutput({ artifacts, secrets, keep = KEEP }: OutputOptions): ToolOutputSink {
  const utf8 = openUtf8();
  let held: Uint8Array[] = [];
  let size = 0;
  let spill: Spill | undefined;
  let isDropped = false;
  const take = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length === 0 || isDropped) return;
    size += bytes.length;
    // Copied: who wrote it may use its buffer again.
    held.push(Buffer.from(bytes));
    if (size <= LARGEST_RESULT) return;
    spill ??= openSpill({ artifacts, secrets, keep });
    const chunk = Buffer.concat(held);
    held = [];
    await spill.channel.send(chunk);
  };
  return {
    write: (chunk) => take(utf8.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    async finish({ limits, keeps }) {
      await take(utf8.end());
      const { replaced } = utf8;
      const text = spill === undefined ? await secrets.mask(Buffer.concat(held).toString()) : undefined;
      const stored = spill === undefined ? undefined : await land(spill);
      const view = stored?.view ?? viewOf(text ?? '');
      const whole = wholeOutput(view, { limits, replaced });
      if (whole !== undefined) return { text: whole };
      const digest = stored?.digest ?? (await put(artifacts, [Buffer.from(text ?? '')], keep));
      return { ...cutOutput(view, { limits, keeps, replaced, digest, keep }), output: digest };
    },
    drop() {
      isDropped = true;
      held = [];
      spill?.channel.fail(new Error('the output was thrown away'));
    },
  };
}

function openSpill({ artifacts, secrets, keep }: Required<OutputOptions>): Spill {
  const channel = openChannel<Uint8Array>();
  const ends = openEnds();
  const landing = put(artifacts, watchEnds(secrets.maskStream(channel.items), ends), keep);
  // Whoever writes next is told, and whoever awaits the end.
  landing.catch((error: unknown) => channel.fail(error));
  return { channel, ends, put: landing };
}

async function* watchEnds(chunks: AsyncIterable<Uint8Array>, ends: Ends): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    ends.add(chunk);
    yield chunk;
  }
}

async function put(
  artifacts: Artifacts,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  keep: number,
): Promise<Digest> {
  return (await artifacts.put(boundBytes(chunks, keep))).digest;
}

async function land(spill: Spill): Promise<{ readonly view: ReturnType<Ends['view']>; readonly digest: Digest }> {
  spill.channel.close();
  const digest = await spill.put;
  return { view: spill.ends.view(), digest };
}

/**
 * Hands values from one who pushes to one who pulls, one at a time: who sends waits until the other is through with
 * it.
 */
interface Channel<T> {
  /** Returns when the receiver comes back for more, or has left. One at a time. @throws what `fail` was given. */
  send(value: T): Promise<void>;
  /** Nothing more comes. */
  close(): void;
  /** Ends it for both sides with this error. */
  fail(error: unknown): void;
  /** For one receiver. */
  readonly items: AsyncIterable<T>;
}

/** An open channel. */
export function openChannel<T>(): Channel<T> {
  let offered: { readonly value: T; readonly taken: PromiseWithResolvers<void> } | undefined;
  let failure: { readonly error: unknown } | undefined;
  let isClosed = false;
  let news = Promise.withResolvers<void>();
  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const isIdle = (): boolean => offered === undefined && failure === undefined && !isClosed;
  async function* receive(): AsyncGenerator<T> {
    try {
      for (;;) {
        while (isIdle()) await news.promise;
        if (failure !== undefined) throw failure.error;
        if (offered === undefined) return;
        const { value, taken } = offered;
        yield value;
        offered = undefined;
        taken.resolve();
      }
    } finally {
      isClosed = true;
      offered?.taken.resolve();
    }
  }
  return {
    async send(value) {
      if (failure !== undefined) throw failure.error;
      if (isClosed) return;
      const taken = Promise.withResolvers<void>();
      offered = { value, taken };
      tell();
      await taken.promise;
    },
    close() {
      isClosed = true;
      tell();
    },
    fail(error) {
      failure ??= { error };
      offered?.taken.reject(error);
      tell();
    },
    items: receive(),
  };
}

/** The end that is kept of a stream above the bound; held in memory until it is over. */
const END = 1_048_576;
/** What the line in between takes at most. */
const NOTICE = 100;

/** The stream, or what its first and last bytes within the bound are. Each chunk is well-formed UTF-8. */
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
  yield Buffer.from(`\n[tidemark: ${total - passed - kept.length} bytes are left out here]\n`);
  yield kept;
}

/** At most so many of the last bytes, from a whole character on. */
function endOf(bytes: Uint8Array, most: number): Uint8Array {
  const last = lastBytes(most);
  last.add(bytes);
  return last.take();
}
