// Schemas of the requests of a session, as the inspector shows them.

import { z } from '@hono/zod-openapi';
import type {
  BlockColumns,
  BlockText,
  CarryCosts,
  KnownBuckets,
  FoundBlocks,
  PreviousRequest,
  RequestColumns,
  RequestDifference,
  RequestStructure,
  WhatIf,
  WhatIfCase,
} from '@tidemark/inspector';

const TEXT = z.string();
const NUMBER = z.number();

const BUCKETS: z.ZodType<KnownBuckets> = z
  .object({
    read: NUMBER.exactOptional(),
    written: NUMBER.exactOptional(),
    fresh: NUMBER.exactOptional(),
    output: NUMBER.exactOptional(),
  })
  .meta({ id: 'KnownBuckets', description: 'Tokens of a call by bucket. An absent value is unknown.' });

const DIFFERENCE: z.ZodType<RequestDifference> = z
  .object({
    at: z.enum(['parameters', 'block']),
    block: NUMBER.exactOptional(),
    character: NUMBER.exactOptional().describe(
      'First different character of the block as it is sent, in UTF-16 units.',
    ),
    section: TEXT.exactOptional(),
    replaces: z.boolean(),
  })
  .meta({ id: 'RequestDifference' });

const PREVIOUS: z.ZodType<PreviousRequest> = z
  .object({
    position: NUMBER,
    step: NUMBER,
    shared: NUMBER.describe('Number of equal blocks at the beginning.'),
    difference: DIFFERENCE.exactOptional().describe('Absent if the request only adds blocks.'),
  })
  .meta({ id: 'PreviousRequest' });

const [NUMBERS, NULLABLE] = [z.array(NUMBER), z.array(NUMBER.nullable())];

const BLOCKS: z.ZodType<BlockColumns> = z
  .object({
    names: z.array(TEXT),
    section: NUMBERS.describe('`tools`, `system` or `messages`.'),
    role: NUMBERS,
    holds: NUMBERS,
    group: NUMBERS.describe('Number of its message. -1 for blocks of the front.'),
    layer: NULLABLE,
    record: NULLABLE.describe('Position of the record that the block comes from.'),
    kind: NULLABLE.describe('Kind of this record.'),
    age: NULLABLE.describe('Milliseconds from this record to the request.'),
    bytes: NUMBERS,
    tokens: NUMBERS.describe('Estimated tokens.'),
    begins: z.array(TEXT).describe('First words of its text.'),
  })
  .meta({
    id: 'BlockColumns',
    description:
      'Blocks of a request as columns of one length. Values of `section`, `role`, `holds`, `layer` and `kind` are indexes of `names`. `null` means that a value does not apply.',
  });

export const REQUESTS: z.ZodType<RequestColumns> = z
  .object({
    streams: z.array(TEXT),
    distance: NUMBERS.describe('Distance to the position of the request before. The first one is its position.'),
    step: NUMBERS,
    stream: NUMBERS.describe('Index of `streams`.'),
  })
  .meta({ id: 'RequestColumns', description: 'Requests of a session as columns of one length.' });

export const REQUEST: z.ZodType<RequestStructure> = z
  .object({
    session: TEXT,
    source: z
      .enum(['sent', 'observed', 'imported'])
      .describe(
        '`sent`: this runtime sent it. `observed`: another program sent and recorded it. `imported`: the recording contains no request, so it is shown as it would have been sent.',
      ),
    position: NUMBER,
    step: NUMBER,
    stream: TEXT,
    purpose: TEXT,
    at: TEXT,
    model: TEXT,
    bytes: NUMBER.exactOptional(),
    digest: TEXT.exactOptional(),
    verified: z.boolean().exactOptional().describe('True if the rebuilt blocks have the recorded digest.'),
    missing: z.array(TEXT).describe('Parts whose content the recording does not contain.'),
    markers: z.array(z.object({ block: NUMBER, ttl: TEXT })).describe('Cache markers.'),
    actual: BUCKETS.exactOptional(),
    forecast: BUCKETS.exactOptional(),
    cost: TEXT.exactOptional(),
    cause: TEXT.exactOptional(),
    price: TEXT.exactOptional(),
    previous: PREVIOUS.exactOptional(),
    total: NUMBER.describe('Number of blocks of the request.'),
    from: NUMBER.describe('Index of the first block in `blocks`.'),
    blocks: BLOCKS,
  })
  .meta({ id: 'RequestStructure' });

export const BLOCK_TEXT: z.ZodType<BlockText> = z
  .object({ text: TEXT, from: NUMBER, total: NUMBER.describe('Length of the whole text, in UTF-16 units.') })
  .meta({ id: 'BlockText' });

export const FOUND_BLOCKS: z.ZodType<FoundBlocks> = z
  .object({
    blocks: z.array(z.object({ block: NUMBER, count: NUMBER, excerpt: TEXT })),
    more: z.boolean().describe('True if more blocks contain the text.'),
  })
  .meta({ id: 'FoundBlocks' });

export const CARRY_COSTS: z.ZodType<CarryCosts> = z
  .object({
    costs: z
      .array(TEXT.nullable())
      .describe('Known cost of each block in all requests that contained it. `null` if it is unknown.'),
    requests: z.array(NUMBER).describe('Number of answered requests that contained the block.'),
    unpriced: z.array(NUMBER).describe('Number of these requests whose cost is unknown.'),
  })
  .meta({ id: 'CarryCosts' });

const WHAT_IF_CASE: z.ZodType<WhatIfCase> = z
  .object({
    change: z.enum(['lifetime', 'pruning', 'compaction', 'model']),
    name: TEXT.describe('The lifetime, or the name of the model. Empty for other changes.'),
    calls: NUMBER.describe('Number of calls in `cost`.'),
    cost: TEXT,
    compared: TEXT.describe('Cost of the same calls: as paid for another model, otherwise as replayed.'),
    stopsAt: NUMBER.exactOptional().describe(
      'Step of the first request that would pass the input limit, or that has no price.',
    ),
  })
  .meta({ id: 'WhatIfCase' });

export const WHAT_IF: z.ZodType<WhatIf> = z
  .object({
    calls: NUMBER.describe('Number of calls that are replayed.'),
    unknown: NUMBER.describe('Number of calls of the main stream with unknown tokens or prices. They are in no sum.'),
    others: NUMBER.describe('Number of calls of side streams. They are in no sum.'),
    paid: TEXT,
    replayed: TEXT.describe('Cost of the replay with the lifetimes, prunings and compactions of the session.'),
    prunings: NUMBER,
    compactions: NUMBER,
    cases: z.array(WHAT_IF_CASE),
  })
  .meta({ id: 'WhatIf', description: 'Costs of the calls of a session in other cases. Amounts are US dollars.' });
