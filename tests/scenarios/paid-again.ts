// Tokens that a request pays again, computed only from the sent bytes and the simulator's bill, without any estimate of
// the engine. The simulator counts four bytes of text as one token.

interface Bill {
  readonly input: number;
  readonly read: number;
}

/**
 * One part of a body, with the text whose tokens are counted. The parts of a body are in the provider's cache order.
 */
interface Chunk {
  /**
   * Kind of the part: a tool, a system text, a role or an item. A part is compared only with parts of the same kind.
   */
  readonly kind: string;
  readonly text: string;
}

/** Returns the number of new tokens of a body: tokens that no earlier body of the session contained. */
export function newTokens(body: string, earlier: readonly string[]): number {
  const before = earlier.flatMap(chunksOf);
  const known = new Set(before.map(nameOf));
  const fresh = chunksOf(body).filter((one) => !known.has(nameOf(one)));
  return fresh.reduce((sum, one) => sum + tokensOf(newText(one, before)), 0);
}

/**
 * Returns the number of tokens of a request that earlier requests contained and that were not read from the cache, at
 * least 0.
 */
export function paidAgain(bill: Bill, body: string, earlier: readonly string[]): number {
  return Math.max(0, bill.input - bill.read - newTokens(body, earlier));
}

/**
 * Returns the part of a chunk that is new compared with the most similar earlier chunk of the same kind. Equal text at
 * the beginning and at the end of both chunks is not new.
 */
function newText({ kind, text }: Chunk, before: readonly Chunk[]): string {
  const middles = before.filter((one) => one.kind === kind).map((one) => middleOf(one.text, text));
  return middles.reduce((least, middle) => (middle.length < least.length ? middle : least), text);
}

function middleOf(was: string, is: string): string {
  const most = Math.min(was.length, is.length);
  let start = 0;
  while (start < most && was[start] === is[start]) start += 1;
  let end = 0;
  while (end < most - start && was[was.length - 1 - end] === is[is.length - 1 - end]) end += 1;
  return is.slice(start, is.length - end);
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

function nameOf({ kind, text }: Chunk): string {
  return `${kind}\n${text}`;
}

interface Body {
  readonly tools?: readonly unknown[];
  readonly system?: string | readonly unknown[];
  readonly messages?: readonly { readonly role: string; readonly content: string | readonly unknown[] }[];
  readonly input?: readonly { readonly role?: string; readonly content?: string | readonly unknown[] }[];
}

function chunksOf(text: string): readonly Chunk[] {
  const body: Body = JSON.parse(text, (key, value: unknown) =>
    key === 'cache_control' || key === 'prompt_cache_breakpoint' ? undefined : value,
  );
  const { tools = [], system = [], messages = [], input = [] } = body;
  return [
    ...tools.map((tool) => chunk('tool', tool)),
    ...listed(system).map((one) => chunk('system', one)),
    ...messages.flatMap(({ role, content }) => listed(content).map((one) => chunk(role, one))),
    ...input.flatMap((item) =>
      item.content === undefined
        ? [chunk('item', item)]
        : listed(item.content).map((one) => chunk(item.role ?? 'item', one)),
    ),
  ];
}

function listed(content: string | readonly unknown[]): readonly unknown[] {
  return typeof content === 'string' ? [{ text: content }] : content;
}

function chunk(kind: string, value: unknown): Chunk {
  return { kind, text: textIn(value) ?? JSON.stringify(value) };
}

function textIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('text' in value && typeof value.text === 'string') return value.text;
  if ('output' in value && typeof value.output === 'string') return value.output;
  return 'content' in value && typeof value.content === 'string' ? value.content : undefined;
}
