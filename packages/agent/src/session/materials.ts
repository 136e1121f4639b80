// Loads and stores the bytes to which the log refers by digest: layer texts, tool definitions, images. They are loaded
// before a request is converted to blocks.

import type { Hash as NodeHash } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { FrontTexts, FrontTool, ToolSpec } from '@tidemark/context';
import { isWarmAt } from '@tidemark/context';
import type { Artifacts, Digest, EpochOpened, FrontEntry, Log, Timestamp, ToolRecord, WarmFront } from '@tidemark/log';
import { canonicalJson, canonicalText, decodeWarmFronts, digest, encodeWarmFronts, milliseconds } from '@tidemark/log';
import type { Capabilities, Hash, JsonValue, Span } from '@tidemark/model';
import { parseCatalog } from '@tidemark/model';
import { AgentError } from '../errors.ts';

/** Reads a whole artifact into memory. */
export async function readArtifact(artifacts: Artifacts, name: Digest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifacts.get(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Stores the layer texts of a front and its tool definitions, so that `epoch.opened` can refer to them by digest. */
export async function keepFront(artifacts: Artifacts, texts: FrontTexts): Promise<void> {
  await mapSideBySide(texts.layers, ({ text }) => artifacts.put(Buffer.from(text)));
  await keepTools(artifacts, texts.tools);
}

/** Stores tool definitions, so that a record can refer to them by digest. */
export async function keepTools(artifacts: Artifacts, tools: readonly FrontTool[]): Promise<void> {
  await mapSideBySide(tools, ({ definition }) => artifacts.put(Buffer.from(definition)));
}

/**
 * Maximum number of artifacts that are read or written at the same time. A session may have a hundred tools, and a
 * server may offer thousands. Parallel access saves time, and the limit keeps the number of open files small.
 */
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

/** Stores a catalog that contains only this row, and returns its digest. */
export async function keepCapabilities(artifacts: Artifacts, capabilities: Capabilities): Promise<Digest> {
  const catalog = canonicalJson({ revision: 1, asOf: capabilities.asOf, rows: [capabilities] });
  return (await artifacts.put(Buffer.from(catalog.text))).digest;
}

/**
 * Returns the catalog row as `loadCapabilities` would return it after storage: with its keys in the order of canonical
 * JSON.
 */
export function asKept(capabilities: Capabilities): Capabilities {
  return JSON.parse(canonicalJson(capabilities).text);
}

/**
 * Returns the catalog row with which an epoch was opened.
 *
 * @throws AgentError `agent/missing-material` if the stored catalog has no row.
 */
export async function loadCapabilities(artifacts: Artifacts, opened: EpochOpened): Promise<Capabilities> {
  const [row] = parseCatalog(JSON.parse(await readText(artifacts, opened.capabilities))).rows;
  if (row !== undefined) return row;
  throw new AgentError(
    'agent/missing-material',
    `the catalog row of epoch ${opened.number} is empty: run tidemark doctor`,
  );
}

/** Returns the layer texts and tool definitions of an epoch's front. */
export async function loadFront(artifacts: Artifacts, opened: EpochOpened): Promise<FrontTexts> {
  const read = ({ digest: named }: { readonly digest: Digest }): Promise<string> => readText(artifacts, named);
  const layers = await mapSideBySide(opened.layers, async (record) => ({ record, text: await read(record) }));
  const tools = await mapSideBySide(opened.tools, async (record) => ({ record, definition: await read(record) }));
  return { contract: opened.contract, layers, tools };
}

/**
 * Returns the tool definitions that the model is shown, in the original wording of their authors. The result for a
 * `records` array is cached.
 */
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

/** Parses a definition that `defineTool` of the package `context` wrote. */
function readSpec(name: string, definition: string): ToolSpec {
  const { description = '', schema = {} }: { description?: string; schema?: JsonValue } = JSON.parse(definition);
  return { name, description, schema };
}

/** Returns a stored text without any change. A byte order mark at the beginning is kept as a part of the text. */
export async function readText(artifacts: Artifacts, name: Digest): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readArtifact(artifacts, name));
}

/** Loads the images and the definitions of added tools to which these spans refer. Returns their bytes by digest. */
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
      `the artifact ${name}, which the history refers to, cannot be read: run tidemark doctor`,
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

// Index of fronts that other sessions of the same store have in the cache. It is derived data. It is read when an epoch
// opens, and the result is recorded with the epoch (L2). After that, nothing depends on the index (L9).

const NAME = 'warm-fronts';

/** Maximum number of fronts in the index, and of cache entries per front. */
const MAX_KEPT = { fronts: 32, entries: 8 } as const;

type FrontOf = Pick<EpochOpened, 'provider' | 'model' | 'layers' | 'tools'>;

/** Returns the key of a front in the index: a digest of provider, account, model, layers and tools. */
export function frontName({ provider, model, layers, tools }: FrontOf, account: string): Digest {
  const parts = [provider, account, model, layers.map((one) => one.digest), tools.map((one) => one.digest)];
  return digest(newHash().update(canonicalText(parts)).hex());
}

/**
 * Returns the unexpired cache entries of a front. Returns an empty list if the store has no index, or if the index is
 * damaged.
 */
export async function readWarmFront(
  { shared }: Pick<Log, 'shared'>,
  front: Digest,
  at: Timestamp,
): Promise<readonly FrontEntry[]> {
  const fronts = decodeWarmFronts((await shared?.get(NAME)) ?? '');
  const now = milliseconds(at);
  return (fronts.find((one) => one.front === front)?.entries ?? []).filter((entry) => isWarmAt(entry, now));
}

/**
 * Adds a front to the index, or replaces its entry. If all cache entries of another front have expired, that front is
 * removed. Without cache entries, the function does nothing.
 */
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
    const kept = [...fronts, { front, entries: entries.slice(-MAX_KEPT.entries) }].slice(-MAX_KEPT.fronts);
    await shared.put(NAME, encodeWarmFronts(kept));
  } catch {
    // An error is ignored, because the index is only an optimization. Without it, the first call of another session is
    // forecast without cache hits. The forecast cost is then too high, but never too low.
  }
}

/** Creates a SHA-256 hash. */
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
