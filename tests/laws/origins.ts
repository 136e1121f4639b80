// Origins of the blocks of a request (L1, L4), checked against the log. A block that several requests share is compared
// only once.

import { readArtifact } from '@tidemark/agent';
import { slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import type { Book } from './book.ts';
import { epochOf, expectSame } from './book.ts';
import { whyNotHeld } from './holds.ts';
import type { JudgedRequest, Played } from './play.ts';
import type { Shown } from './shown.ts';
import { asFields, asList, shownBy } from './shown.ts';

/**
 * L1. Returns the blocks whose origin is neither a layer of their epoch nor a record up to that of their request, with
 * the position of the request.
 */
export function strangers({ book, requests }: Pick<Played, 'book' | 'requests'>): readonly unknown[] {
  return requests.flatMap(({ prepared: { record, sequence } }) => {
    const { layers, tools } = epochOf(book, record);
    return slice(sequence.blocks).flatMap(({ origin, head }) => {
      const known =
        origin.from === 'layer'
          ? digestOfLayer({ layers, tools }, origin) !== undefined
          : // The same position is allowed because the record of a side call's request contains the text of the side call.
            origin.position <= record.position && book.entries[origin.position]?.owner === origin.session;
      return known ? [] : [{ request: record.position, origin, head }];
    });
  });
}

interface Layers {
  readonly layers: ReturnType<typeof epochOf>['layers'];
  readonly tools: ReturnType<typeof epochOf>['tools'];
}

function digestOfLayer(
  { layers, tools }: Layers,
  { layer, revision }: Extract<Block['origin'], { readonly from: 'layer' }>,
): Layers['layers'][number]['digest'] | undefined {
  if (layer === 'tools') return tools.find(({ digest }) => digest.startsWith(revision))?.digest;
  return layers.find((one) => one.name === layer && one.revision === revision)?.digest;
}

/** L4. Returns an error text for each block whose event is missing or does not contain what the block shows. */
export function wrongEvents({ book, requests }: Pick<Played, 'book' | 'requests'>): readonly string[] {
  const wrong = new Map<Block, string | undefined>();
  for (const { prepared } of requests)
    for (const block of slice(prepared.sequence.blocks))
      if (!wrong.has(block)) wrong.set(block, wrongEvent(book, block));
  return [...wrong.values()].flatMap((why) => why ?? []);
}

function wrongEvent({ entries, stubs }: Book, block: Block): string | undefined {
  if (block.origin.from !== 'event') return undefined;
  const entry = entries[block.origin.position];
  if (entry === undefined || entry.owner !== block.origin.session)
    return `no record ${block.origin.position} of ${block.origin.session}`;
  const shown = withoutStubs(shownBy(block), stubs);
  return shown === undefined ? undefined : whyNotHeld(shown, entry.record);
}

/**
 * Returns what a block shows, without the stubs of quarantined blocks. Returns `undefined` if the whole block is a
 * stub.
 */
function withoutStubs(shown: Shown, stubs: ReadonlySet<string>): Shown | undefined {
  const isStub = (one: Shown): boolean => one.kind === 'text' && stubs.has(one.text);
  if (isStub(shown)) return undefined;
  return shown.kind === 'result' ? { ...shown, content: shown.content.filter((one) => !isStub(one)) } : shown;
}

/**
 * L4. Returns an error text for each block whose layer is not in its epoch, or whose artifact does not contain what the
 * block shows.
 */
export async function wrongLayers({
  log,
  book,
  requests,
}: Pick<Played, 'log' | 'book' | 'requests'>): Promise<readonly string[]> {
  const wrong: string[] = [];
  const compared = new Map<Block, string>();
  for (const { prepared } of requests) {
    const epoch = epochOf(book, prepared.record);
    for (const block of slice(prepared.sequence.blocks)) {
      const { origin } = block;
      if (origin.from !== 'layer') continue;
      const digest = digestOfLayer(epoch, origin);
      if (digest === undefined) wrong.push(`no layer ${origin.layer} ${origin.revision}`);
      else if (compared.get(block) !== digest) {
        compared.set(block, digest);
        const text = new TextDecoder().decode(await readArtifact(log.artifacts, digest));
        if (!isLayerText(block, text)) wrong.push(`${digest} has another text`);
      }
    }
  }
  return wrong;
}

function isLayerText(block: Block, text: string): boolean {
  const shown = shownBy(block);
  if (shown.kind !== 'tool') return shown.kind === 'text' && shown.text === text;
  const definition = asFields(JSON.parse(text));
  return definition['name'] === shown.name && JSON.stringify(definition['schema']) === JSON.stringify(shown.schema);
}

/**
 * L1. Expects each body to contain its blocks, the settings of its epoch and the fields of its record, and nothing
 * else.
 */
export function expectBodies({ book, requests, world }: Pick<Played, 'book' | 'requests' | 'world'>): void {
  const read = world.provider === 'simulator' ? readMessagesBody : readScriptedBody;
  const parsed = new Map<Block, unknown>();
  const contentOf = (block: Block): unknown => {
    if (!parsed.has(block)) parsed.set(block, JSON.parse(block.head + block.tail));
    return parsed.get(block);
  };
  for (const { prepared } of requests) {
    const { model, parameters } = epochOf(book, prepared.record);
    const { effort, ...rest } = parameters;
    const settings =
      world.provider === 'scripted' || effort === undefined ? parameters : { ...rest, output_config: { effort } };
    const { outputLimit, envelope } = prepared.record.data;
    expectSame(read(prepared.body), {
      blocks: slice(prepared.sequence.blocks).map(contentOf),
      settings: { ...settings, model },
      rest: { outputLimit, fields: envelope },
      stream: world.provider === 'scripted' ? undefined : true,
    });
  }
}

interface ReadBody {
  readonly blocks: readonly unknown[];
  readonly settings: unknown;
  readonly rest: unknown;
  readonly stream: unknown;
}

function readMessagesBody(body: JudgedRequest['prepared']['body']): ReadBody {
  const fields = asFields(JSON.parse(new TextDecoder().decode(body)));
  const { tools = [], system = [], messages, max_tokens: outputLimit, stream, ...named } = fields;
  const { diagnostics, metadata, ...settings } = named;
  // A message without content changes a setting, and counts as one block.
  const content = asList(messages).flatMap((message) => {
    const parts = asList(asFields(message)['content']);
    return parts.length === 0 ? [message] : parts;
  });
  const blocks = [...asList(tools), ...asList(system), ...content].map(withoutMarker);
  const envelope = { ...(diagnostics !== undefined && { diagnostics }), ...(metadata !== undefined && { metadata }) };
  return { blocks, settings, rest: { outputLimit, fields: envelope }, stream };
}

function withoutMarker(block: unknown): unknown {
  const { cache_control: _marker, ...rest } = asFields(block);
  return rest;
}

function readScriptedBody(body: JudgedRequest['prepared']['body']): ReadBody {
  const [settings, ...lines] = new TextDecoder()
    .decode(body)
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const blocks = lines.slice(0, -1).map((line) => {
    const { marker: _marker, ...rest } = asFields(line);
    return rest;
  });
  return { blocks, settings, rest: lines.at(-1), stream: undefined };
}
