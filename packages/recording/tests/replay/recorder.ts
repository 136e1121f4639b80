// State of a conversation while a script is written as a transcript: the time, the size of the context, the content of
// the cache, and the number of texts made so far. The writers of both transcript formats use it. Also makes realistic
// texts.

import type { UsageForm } from './script.ts';

/** Token counts of one call, as a provider reports them. */
export interface Counts {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/** State of one conversation while it is written. */
export interface Recorder {
  now: number;
  /** Number of tokens in the next request. */
  context: number;
  cached: number;
  cachedAt: number;
  made: number;
}

const START = Date.UTC(2026, 9, 20, 9);

/** Starts a conversation with a front of this many tokens, which the file will not contain. */
export function beginRecorder(front: number): Recorder {
  return { now: START, context: front, cached: 0, cachedAt: START, made: 0 };
}

/**
 * Returns the token counts of a call at the current time. Also updates the cache: from then on, the cache contains the
 * tokens that the call read or wrote.
 */
export function countCall(recorder: Recorder, output: number, usageForm: UsageForm): Counts {
  const { context, now } = recorder;
  const total = Math.max(1, Math.round(context));
  const alive = usageForm !== 'uncached' && now - recorder.cachedAt < 300_000;
  const read = alive ? Math.min(recorder.cached, total - 1) : 0;
  const written = usageForm === 'uncached' ? 0 : Math.max(0, total - read - 3);
  recorder.cached = read + written;
  recorder.cachedAt = now;
  return { fresh: total - read - written, read, written, output };
}

/** Adds the size of a text of this many bytes to the context, at 3.4 bytes per token. */
export function weigh(recorder: Recorder, bytes: number): void {
  recorder.context += bytes / 3.4;
}

const LINES = [
  '  const state = events.reduce(evolve, emptyState());\n',
  'The test fails because the lock is held by another process.\n',
  '{"path":"src/index.ts","line":42,"text":"export * from"}\n',
  '2026-10-20T09:00:01.123Z INFO  worker 17 took 0.3 s\n',
  '日本語のテキストと emoji 🌊\n',
  '0f3a9c77e1b24d5586aa90cc41d2e7f3\n',
];

/** Returns a text of this length, in characters. Each call returns a different text, unless `length` is at most 3. */
export function textOf(recorder: Recorder, length: number): string {
  recorder.made += 1;
  if (length === 0) return '';
  if (length <= 3) return ' \n\t'.slice(0, length);
  let text = `${recorder.made}: `;
  for (let index = recorder.made; text.length < length; index += 1) text += LINES[index % LINES.length];
  return text.slice(0, length);
}

/** Returns a small PNG image, different each time. Every fifth image is declared as BMP. */
export function pictureOf(recorder: Recorder): { readonly mediaType: string; readonly data: string } {
  recorder.made += 1;
  const bytes = Buffer.alloc(64 + recorder.made);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(100 + recorder.made, 16);
  bytes.writeUInt32BE(80, 20);
  return { mediaType: recorder.made % 5 === 0 ? 'image/bmp' : 'image/png', data: bytes.toString('base64') };
}

const INPUTS = [
  '{"path":"src/index.ts"}',
  '{}',
  '{"10":1,"9":2,"number":1.0,"large":12345678901234567890}',
  '{"text":"\\ud83c\\udf0a \\u0000 \\"quoted\\" \\ud800"}',
  '[1,2]',
  '"just a string"',
  'null',
  '{"a":{"b":{"c":[{"d":null},{"e":1e400}]}}}',
  `{"content":${JSON.stringify('a line of a file\n'.repeat(2_000))}}`,
];

/**
 * Returns the arguments of a call as JSON text. `kind` selects one of the texts, and an unknown number selects `{}`.
 */
export function inputOf(kind: number): string {
  return INPUTS[kind] ?? '{}';
}

/**
 * Returns the id of a call. `repeated` ids occur again in later answers. `foreign` ids contain characters that
 * Anthropic does not accept.
 */
export function callIdOf(recorder: Recorder, kind: 'usual' | 'repeated' | 'foreign', nth: number): string {
  recorder.made += 1;
  if (kind === 'repeated') return `call_${nth}`;
  return kind === 'foreign' ? `call_é|fc:${recorder.made}/${nth}` : `toolu_${recorder.made}_${nth}`;
}

export function moment(ms: number): string {
  return new Date(ms).toISOString();
}
