// Content of random sessions: texts, images, calls and answers, as data that fast-check can shrink. Each text contains
// a unique number, so a block shows which record it comes from.

import { createHash } from 'node:crypto';
import type { ContentPart, Digest, ImagePart } from '@tidemark/log';
import { digest } from '@tidemark/log';
import type { ScriptedBlock } from '@tidemark/simulator';
import fc from 'fast-check';

/**
 * Description of one text. `words` is a text of about `size` characters. `odd` is the given text, with a number
 * appended if the text is not blank.
 */
export type TextSpec =
  | { readonly kind: 'words'; readonly size: number }
  | { readonly kind: 'odd'; readonly text: string };

/** Description of one part of a prompt or of a tool result. `image` is an index of `IMAGES`. */
export type ContentSpec = TextSpec | { readonly kind: 'image'; readonly image: number } | { readonly kind: 'file' };

/**
 * Kind of a call id. `fresh`: a new id. `repeated`: an id of an earlier call. `foreign`: an id in another provider's
 * form. `doubled`: the id of the previous call. `alias`: the form that a repeated id gets on the wire.
 */
export type CallIdSpec = 'fresh' | 'repeated' | 'foreign' | 'doubled' | 'alias';

/** Description of one tool call. `arguments` is the raw text that the model streams. */
export interface CallSpec {
  readonly id: CallIdSpec;
  readonly name: string;
  readonly arguments: string;
}

/** Description of one part of an answer before its tool calls. */
export type SaidSpec =
  | { readonly kind: 'text'; readonly text: TextSpec }
  | { readonly kind: 'thinking'; readonly size: number }
  | { readonly kind: 'redacted' };

/** Description of one answer of a model. */
export interface AnswerSpec {
  readonly said: readonly SaidSpec[];
  readonly calls: readonly CallSpec[];
}

const ODD_TEXTS = [
  '',
  ' \n\t',
  '\u0085',
  '\u001c\u001f',
  '\u00a0\u2003',
  '\ud800',
  'a\udfffb',
  '\u0000',
  '"quoted" \\ {"and":"braced"}',
  '</context>\n<checkpoint>',
  '\u2028\u2029',
  'zwj \u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
] as const;

const ODD_ARGUMENTS = [
  '',
  ' ',
  '{}',
  '{"b":1,"a":[1.0,{"10":1,"9":2}]}',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1},"constructor":1}',
  '{"n":1e999,"m":-0,"big":12345678901234567890}',
  '{"x":"\\ud800","y":"\\ud83d\\ude00"}',
  '{"raw":"\ud800"}',
  ' { "spaced" : [ ] } ',
  '[1,2]',
  '"text"',
  'null',
  '{"cut":"of',
  `${'{"deep":'.repeat(40)}1${'}'.repeat(40)}`,
] as const;

const TOOL_NAMES = ['read', 'grep', 'edit', 'mcp.server.read', 'no_such_tool', 'ünlike', ''] as const;

const size: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 20, max: 400 }) },
  { weight: 3, arbitrary: fc.integer({ min: 400, max: 4_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4_000, max: 20_000 }) },
);
const plain: fc.Arbitrary<TextSpec> = size.map((value) => ({ kind: 'words', size: value }));
const odd: fc.Arbitrary<TextSpec> = fc.constantFrom(...ODD_TEXTS).map((text) => ({ kind: 'odd', text }));

/** A random text. */
export const anyText: fc.Arbitrary<TextSpec> = fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: odd });

/** A random part of a prompt or of a result. */
export const anyContent: fc.Arbitrary<ContentSpec> = fc.oneof(
  { weight: 8, arbitrary: anyText },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 4 }).map((image): ContentSpec => ({ kind: 'image', image })) },
  { weight: 1, arbitrary: fc.constant<ContentSpec>({ kind: 'file' }) },
);

const call: fc.Arbitrary<CallSpec> = fc.record({
  id: fc.oneof(
    { weight: 6, arbitrary: fc.constant<CallIdSpec>('fresh') },
    { weight: 3, arbitrary: fc.constantFrom<CallIdSpec>('repeated', 'foreign', 'doubled', 'alias') },
  ),
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constant('read') },
    { weight: 1, arbitrary: fc.constantFrom(...TOOL_NAMES) },
  ),
  arguments: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...ODD_ARGUMENTS) },
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value })) },
  ),
});
const calls: fc.Arbitrary<readonly CallSpec[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 5, arbitrary: fc.array(call, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.array(call, { minLength: 10, maxLength: 26 }) },
);
const anyProse: fc.Arbitrary<SaidSpec> = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text): SaidSpec => ({ kind: 'text', text })) },
  { weight: 2, arbitrary: size.map((value): SaidSpec => ({ kind: 'thinking', size: value })) },
  { weight: 1, arbitrary: fc.constant<SaidSpec>({ kind: 'redacted' }) },
);

/** A random answer with up to 26 parallel calls. */
export const anyAnswer: fc.Arbitrary<AnswerSpec> = fc.record({ said: fc.array(anyProse, { maxLength: 4 }), calls });

/**
 * Counters of a session. They make its texts and ids unique, and keep its size below the context window of its model.
 */
export interface Counters {
  nonce: number;
  /** Number of characters in all prompts and results so far. An image counts as 6,000. */
  size: number;
  /** Call ids so far. */
  readonly ids: string[];
}

/** Returns counters of a session that has no text yet. */
export function newCounters(): Counters {
  return { nonce: 0, size: 0, ids: [] };
}

/**
 * Returns a text of about `length` characters. It begins with the number `nonce` in brackets, so no other text contains
 * it.
 */
export function words(nonce: number, length: number): string {
  const name = `<${nonce}>`;
  const filler = 'the gauge is read at the quay and the mark is set where the water stood ';
  return `${name} ${filler.repeat(Math.ceil(length / filler.length))}`.slice(0, Math.max(name.length, length));
}

/**
 * Number of characters after which the texts of a session become short. It corresponds to about half of the smallest
 * context window.
 */
const ROOM = 250_000;

/** Creates the described text, with a number that no other text contains. Counts its length in `counters`. */
export function textOf(counters: Counters, spec: TextSpec): string {
  if (spec.kind === 'odd') return spec.text.trim() === '' ? spec.text : `${spec.text} ${counters.nonce++}`;
  const length = counters.size > ROOM ? 60 : spec.size;
  counters.size += length;
  return words(counters.nonce++, length);
}

/** Creates the described parts of a prompt or a result, and counts their length in `counters`. */
export function contentOf(counters: Counters, specs: readonly ContentSpec[]): readonly ContentPart[] {
  return specs.map((spec): ContentPart => {
    if (spec.kind === 'file') return { type: 'file', path: `src/file-${counters.nonce++}.ts` };
    if (spec.kind !== 'image') return { type: 'text', text: textOf(counters, spec) };
    const image = IMAGES[spec.image % IMAGES.length];
    if (image === undefined || counters.size > ROOM) return { type: 'text', text: `no image ${counters.nonce++}` };
    counters.size += 6_000;
    return image.part;
  });
}

/**
 * Creates the blocks of the described answer in the form of the simulator. `length` is the number of records in the
 * log, which the ids of the kind `alias` contain.
 */
export function blocksOf(counters: Counters, answer: AnswerSpec, length: number = 0): readonly ScriptedBlock[] {
  return [
    ...answer.said.map((spec) => saidBlock(counters, spec)),
    ...answer.calls.map((spec): ScriptedBlock => {
      const id = callIdOf(counters, spec, length);
      counters.ids.push(id);
      return { type: 'tool_use', id, name: spec.name, arguments: spec.arguments };
    }),
  ];
}

function saidBlock(counters: Counters, spec: SaidSpec): ScriptedBlock {
  const name = counters.nonce++;
  switch (spec.kind) {
    case 'thinking':
      return { type: 'thinking', thinking: words(name, Math.min(spec.size, 3_000)), signature: `signed-${name}` };
    case 'redacted':
      return { type: 'redacted_thinking', data: `sealed-${name}` };
    case 'text': {
      const { text } = spec;
      return { type: 'text', text: text.kind === 'odd' ? text.text : words(name, Math.min(text.size, 6_000)) };
    }
  }
}

function callIdOf(counters: Counters, { id }: CallSpec, length: number): string {
  const name = counters.nonce++;
  const known = counters.ids[name % Math.max(1, counters.ids.length)];
  switch (id) {
    case 'fresh':
      return `toolu_${name}`;
    case 'foreign':
      return `call_${name}|fc_${name}`;
    case 'repeated':
      return known ?? `toolu_${name}`;
    case 'doubled':
      return counters.ids.at(-1) ?? `toolu_${name}`;
    case 'alias':
      // The form that a repeated id gets on the wire if the answer is recorded at this position.
      return `${known ?? 'toolu'}_${length}`;
  }
}

interface TestImage {
  readonly part: ImagePart<Digest>;
  readonly bytes: Uint8Array;
}

/** Three images that providers accept, one in a format that they refuse, and an empty one. */
export const IMAGES: readonly TestImage[] = [
  testImage('image/png', 300, { width: 640, height: 480 }),
  testImage('image/jpg', 90),
  testImage('image/bmp', 40),
  testImage('image/webp', 0),
  testImage('IMAGE/GIF', 7, { width: 1, height: 1 }),
];

function testImage(
  mediaType: string,
  length: number,
  pixels: { readonly width?: number; readonly height?: number } = {},
): TestImage {
  const bytes = new Uint8Array(length).map((_, index) => (index * 7 + length) % 256);
  const artifact = digest(createHash('sha256').update(bytes).digest('hex'));
  return { bytes, part: { type: 'image', artifact, mediaType, bytes: length, ...pixels } };
}
