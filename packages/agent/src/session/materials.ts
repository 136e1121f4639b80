// Bytes that the log names by digest, loaded before they are lowered: layer texts, tool definitions, images.

import type { Hash as NodeHash } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { FrontTexts, FrontTool, ToolSpec } from '@tidemark/context';
import { isWarmAt } from '@tidemark/context';
import type { Artifacts, Digest, EpochOpened, FrontEntry, Log, Timestamp, ToolRecord, WarmFront } from '@tidemark/log';
import { canonicalJson, canonicalText, decodeWarmFronts, digest, encodeWarmFronts, milliseconds } from '@tidemark/log';
import type { Capabilities, Hash, JsonValue, Span } from '@tidemark/model';
import { parseCatalog } from '@tidemark/model';
import { AgentError } from '../errors.ts';

/** Reads a whole artifact. */
export async function readArtifact(artifacts: Artifacts, name: Digest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifacts.get(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Keeps the texts of a front, so that `epoch.opened` may name them. */
export async function keepFront(artifacts: Artifacts, texts: FrontTexts): Promise<void> {
  await mapSideBySide(texts.layers, ({ text }) => artifacts.put(Buffer.from(text)));
  await keepTools(artifacts, texts.tools);
}

/** Keeps the definitions of tools, so that a record may name them. */
export async function keepTools(artifacts: Artifacts, tools: readonly FrontTool[]): Promise<void> {
  await mapSideBySide(tools, ({ definition }) => artifacts.put(Buffer.from(definition)));
}

/** How many artifacts are open at once. Each waits for the disk, a session may have a hundred, and a server may offer thousands. */
const AT_ONCE = 32;

async function mapSideBySide<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE)
    made.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(make))));
  return made;
}

/** Keeps a catalog row, as a catalog of its own, and names it. */
export async function keepCapabilities(artifacts: Artifacts, capabilities: Capabilities): Promise<Digest> {
  const catalog = canonicalJson({ revision: 1, asOf: capabilities.asOf, rows: [capabilities] });
  return (await artifacts.put(Buffer.from(catalog.text))).digest;
}

/** A row as whoever reads it back has it: of what is kept, the order of keys is that of canonical JSON. */
export function asKept(capabilities: Capabilities): Capabilities {
  return JSON.parse(canonicalJson(capabilities).text);
}

/** The catalog row that an epoch was opened with. */
export async function loadCapabilities(artifacts: Artifacts, opened: EpochOpened): Promise<Capabilities> {
  const [row] = parseCatalog(JSON.parse(await readText(artifacts, opened.capabilities))).rows;
  if (row !== undefined) return row;
  throw new AgentError(
    'agent/missing-material',
    `the catalog row of epoch ${opened.number} is empty: run tidemark doctor`,
  );
}

/** The texts of an epoch's front. */
export async function loadFront(artifacts: Artifacts, opened: EpochOpened): Promise<FrontTexts> {
  const read = ({ digest: named }: { readonly digest: Digest }): Promise<string> => readText(artifacts, named);
  const layers = await mapSideBySide(opened.layers, async (record) => ({ record, text: await read(record) }));
  const tools = await mapSideBySide(opened.tools, async (record) => ({ record, definition: await read(record) }));
  return { contract: opened.contract, layers, tools };
}

/** The definitions that the model is shown, as their authors gave them; read once for each list. */
export async function loadShownTools(
  artifacts: Artifacts,
  records: readonly ToolRecord[],
): Promise<readonly ToolSpec[]> {
  const held = SHOWN.get(records);
  if (held !== undefined) return held;
  const specs = await mapSideBySide(records, async ({ name, digest: named }) =>
    readSpec(name, await readText(artifacts, named)),
  );
  SHOWN.set(records, specs);
  return specs;
}

const SHOWN: WeakMap<readonly ToolRecord[], readonly ToolSpec[]> = new WeakMap();

/** Written by `defineTool` of `context`. */
function readSpec(name: string, definition: string): ToolSpec {
  const { description = '', schema = {} }: { description?: string; schema?: JsonValue } = JSON.parse(definition);
  return { name, description, schema };
}

/** A text that was kept, to the last character: a mark of byte order at its beginning is one of its own. */
export async function readText(artifacts: Artifacts, name: Digest): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readArtifact(artifacts, name));
}

/** The bytes that these spans name: images, and tools that were added. */
export async function loadMaterials(
  artifacts: Artifacts,
  spans: readonly Span[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const loaded = new Map<string, Uint8Array>();
  for (const name of namedBy(spans)) {
    if (!loaded.has(name)) loaded.set(name, await loadMaterial(artifacts, name));
  }
  return loaded;
}

async function loadMaterial(artifacts: Artifacts, name: string): Promise<Uint8Array> {
  try {
    return await readArtifact(artifacts, digest(name));
  } catch (cause) {
    throw new AgentError(
      'agent/missing-material',
      `the bytes ${name} that the history names cannot be read: run tidemark doctor`,
      { name },
      cause,
    );
  }
}

function* namedBy(spans: readonly Span[]): Generator<string> {
  for (const span of spans) {
    for (const part of span.parts) {
      if (part.type === 'image') yield part.artifact;
      if (part.type === 'result') for (const one of part.content) if (one.type === 'image') yield one.artifact;
      if (part.type === 'change' && part.change === 'tools') for (const one of part.added) yield one.definition;
    }
  }
}

// The index of fronts that other sessions of the same store left cached. It is derived: it is read when an epoch opens, and
// what is found is recorded with the epoch (L2), so nothing depends on the index afterwards (L9).

const NAME = 'warm-fronts';

/** Fronts in the index, and entries of each. */
const MOST = { fronts: 32, entries: 8 } as const;

/** What of an epoch its front depends on. */
type FrontOf = Pick<EpochOpened, 'provider' | 'model' | 'layers' | 'tools'>;

/** The name of a front in the cache of an account. */
export function frontName({ provider, model, layers, tools }: FrontOf, account: string): Digest {
  const parts = [provider, account, model, layers.map((one) => one.digest), tools.map((one) => one.digest)];
  return digest(newHash().update(canonicalText(parts)).hex());
}

/** The entries of a front that are alive; none where the store keeps no index, or none that can be read. */
export async function readWarmFront(
  { shared }: Pick<Log, 'shared'>,
  front: Digest,
  at: Timestamp,
): Promise<readonly FrontEntry[]> {
  const fronts = decodeWarmFronts((await shared?.get(NAME)) ?? '');
  const now = milliseconds(at);
  return (fronts.find((one) => one.front === front)?.entries ?? []).filter((entry) => isWarmAt(entry, now));
}

/** Adds a front to the index, in the place of what it said of this one. Fronts of which nothing is alive leave it. */
export async function keepWarmFront(
  { shared }: Pick<Log, 'shared'>,
  front: Digest,
  entries: readonly FrontEntry[],
  at: Timestamp,
): Promise<void> {
  if (shared === undefined || entries.length === 0) return;
  const now = milliseconds(at);
  const alive = ({ entries: held }: WarmFront): boolean => held.some((entry) => isWarmAt(entry, now));
  try {
    const fronts = decodeWarmFronts((await shared.get(NAME)) ?? '').filter((one) => one.front !== front && alive(one));
    const kept = [...fronts, { front, entries: entries.slice(-MOST.entries) }].slice(-MOST.fronts);
    await shared.put(NAME, encodeWarmFronts(kept));
  } catch {
    // Without the index a first call is forecast as a cold one: too dear, never too cheap.
  }
}

/** Begins a SHA-256. */
export function newHash(): Hash {
  return wrap(createHash('sha256'));
}

function wrap(hash: NodeHash): Hash {
  const wrapped: Hash = {
    update: (data) => {
      hash.update(data);
      return wrapped;
    },
    copy: () => wrap(hash.copy()),
    hex: () => hash.digest('hex'),
  };
  return wrapped;
}
