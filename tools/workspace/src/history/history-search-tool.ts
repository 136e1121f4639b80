// `history_search` tool: finds records of the session's own log by words. It reads the log one time from start to end.
// Only the latest matches are in memory, so a log of any length can be searched.

import type { Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { z } from 'zod';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { excerptAround } from './cut-text.ts';
import type { SaidKind } from './say-record.ts';
import { headOf, KINDS, sayRecord } from './say-record.ts';

const MAX_MATCHES = 50;
const DEFAULT_MATCHES = 10;

const ARGUMENTS = argumentsOf(
  z.strictObject({
    query: z.string().trim().min(1).describe('Words that a record must all contain, in any case and order'),
    limit: z
      .int()
      .min(1)
      .max(MAX_MATCHES)
      .optional()
      .describe(`Maximum number of matches. Default: ${DEFAULT_MATCHES}`),
    kinds: z.array(z.enum(KINDS)).min(1).optional().describe('Only these kinds. Default: all'),
  }),
);

const DESCRIPTION =
  'Searches all earlier records of this session, including those no longer in your context. Returns the latest matches first, with positions for history_read. To search files, use grep.';

/** Number of characters shown on each side of a match. */
const AROUND = 120;

interface HistoryQuery {
  /** Words to find, in lower case. */
  readonly words: readonly string[];
  readonly limit: number;
  readonly kinds: ReadonlySet<SaidKind>;
}

/**
 * Creates the tool `history_search`, with effect class `none`. It searches the session's own log and the logs of its
 * ancestors.
 */
export function createHistorySearchTool(): Tool {
  return {
    name: 'history_search',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['8c068aa6654c548c43c1c758bc5be1285ef1507034c40ceb8bd130640c57e393'],
    effect: 'none',
    read(input) {
      const read = ARGUMENTS.read(input);
      if (isProblem(read)) return read;
      const { query, limit = DEFAULT_MATCHES, kinds = KINDS } = read;
      const words = query.toLowerCase().split(/\s+/);
      return {
        title: `history_search ${query.slice(0, 60)}`,
        run: (context) => searchHistory({ words, limit, kinds: new Set(kinds) }, context),
      };
    },
  };
}

async function searchHistory(asked: HistoryQuery, context: ToolContext): Promise<ToolOutput> {
  const found: string[] = [];
  const own = new Set<string>([context.call]);
  let matches = 0;
  for await (const record of context.history.read(0, context.history.length)) {
    context.signal.throwIfAborted();
    const match = isOwn(record, own) ? undefined : matchIn(withoutSearches(record), asked);
    if (match === undefined) continue;
    matches += 1;
    found.push(match);
    if (found.length > asked.limit) found.shift();
  }
  if (matches === 0) return { text: 'No record contains all of these words. Search for fewer or other words.' };
  const more =
    matches > found.length
      ? [`[the latest ${found.length} of ${matches} matches; to see others, add words to query or raise limit]`]
      : [];
  return { text: [...found.toReversed(), ...more].join('\n') };
}

/**
 * Returns true for the result of an earlier `history_search` call. Without this check, a search for the same words
 * would find that result. `own` collects the ids of these calls.
 */
function isOwn(record: Recorded, own: Set<string>): boolean {
  if (record.kind === 'tool.started' && record.data.name === 'history_search') own.add(record.data.call);
  if (record.kind !== 'tool.returned' && record.kind !== 'tool.failed') return false;
  return own.delete(record.data.call);
}

function withoutSearches(record: Recorded): Recorded {
  if (record.kind !== 'answer.received') return record;
  const parts = record.data.parts.filter((part) => part.type !== 'call' || part.name !== 'history_search');
  return { ...record, data: { ...record.data, parts } };
}

function matchIn(record: Recorded, { words, kinds }: HistoryQuery): string | undefined {
  const rendered = sayRecord(record);
  if (rendered === undefined || !kinds.has(rendered.kind)) return undefined;
  const text = rendered.parts.join('\n');
  const lower = text.toLowerCase();
  const [first = ''] = words;
  if (!words.every((word) => lower.includes(word))) return undefined;
  return `${headOf(record, rendered)}: ${excerptAround(text, Math.min(lower.indexOf(first), text.length), AROUND)}`;
}
