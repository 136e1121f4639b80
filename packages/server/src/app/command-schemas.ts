// Schemas of the commands that change the settings of a session, fork it or compact it.

import { z } from '@hono/zod-openapi';
import type { CompactionReport, CompactOptions, ForkOptions, NextCall, NumberedPrompt } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import type { ChosenModel } from '../ports.ts';
import { POSITION, SESSION_ID } from './values.ts';

const NAME = z.string().min(1).max(200);
const TOKENS = z.int().nonnegative().max(100_000_000);

/** Model that a client sets. `inPlace` switches the session itself. */
export interface GivenModel extends ChosenModel {
  readonly inPlace?: boolean;
}

/** Fork that a client wants. */
export type GivenFork = ForkOptions & Partial<ChosenModel>;

/** Session that has a setting now: the session itself, or its fork. */
export interface ModelSet {
  readonly session: SessionId;
  readonly model: string;
  readonly provider?: string;
  /** Session and record that the fork continues. Absent if the model was switched in place. */
  readonly parent?: { readonly session: SessionId };
}

export const GIVEN_MODEL: z.ZodType<GivenModel> = z
  .strictObject({
    model: NAME.describe('Name in the catalog, or a family such as `opus`.'),
    provider: NAME.exactOptional(),
    inPlace: z
      .boolean()
      .exactOptional()
      .describe(
        'True to switch this session, which loses its cache. Default: a fork continues with the model, and this session keeps its model and its cache.',
      ),
  })
  .meta({ id: 'GivenModel' });

export const MODEL_SET: z.ZodType<ModelSet> = z
  .object({
    session: SESSION_ID.describe('Session that uses the model: the fork, or the session itself.'),
    model: z.string(),
    provider: z.string().exactOptional(),
    parent: z.object({ session: SESSION_ID }).exactOptional(),
  })
  .meta({ id: 'ModelSet' });

export const GIVEN_FORK: z.ZodType<GivenFork> = z
  .strictObject({
    at: z.int().nonnegative().exactOptional().describe('Last record that the fork keeps.'),
    beforePrompt: z.int().exactOptional().describe('Number of a prompt. -1 is the last prompt.'),
    summarize: z.boolean().exactOptional().describe('True to add a short summary of the records that the fork omits.'),
    title: NAME.exactOptional(),
    model: NAME.exactOptional(),
    provider: NAME.exactOptional(),
  })
  .refine(({ at, beforePrompt }) => at === undefined || beforePrompt === undefined, {
    message: 'pass one of `at` and `beforePrompt`',
  })
  .refine(({ model, provider }) => provider === undefined || model !== undefined, {
    message: '`provider` needs `model`',
  })
  .meta({ id: 'GivenFork' });

export const COMPACT: z.ZodType<CompactOptions> = z
  .strictObject({
    dryRun: z.boolean().exactOptional().describe('True to return only the plan.'),
    fresh: z.boolean().exactOptional().describe('True to begin a fork that contains only the checkpoint.'),
    tailTokens: TOKENS.exactOptional().describe('Maximum tokens of history after the checkpoint.'),
    checkpointTokens: TOKENS.pipe(z.number().min(1)).exactOptional().describe('Maximum tokens of the checkpoint.'),
    by: z.enum(['auto', 'deterministic', 'model']).exactOptional().describe('Writer of the checkpoint.'),
  })
  .refine(({ fresh, tailTokens }) => fresh !== true || tailTokens === undefined, {
    message: '`fresh` cannot be combined with `tailTokens`: a fresh fork contains only the checkpoint',
  })
  .meta({ id: 'Compact' });

export const COMPACTION_REPORT: z.ZodType<CompactionReport> = z.custom<CompactionReport>().meta({
  id: 'CompactionReport',
  type: 'object',
  required: ['outcome', 'trigger', 'strategy', 'sizes'],
  properties: {
    outcome: { type: 'string', enum: ['compacted', 'planned', 'refused'] },
    trigger: { type: 'string' },
    strategy: { type: 'string' },
    sizes: { type: 'object', description: 'Estimates in tokens of the model.', additionalProperties: true },
    refused: { type: 'string', description: 'Reason of a refusal.' },
    kept: { type: 'integer', description: 'Number of messages that are kept after the checkpoint.' },
    rewrite: { type: 'object', description: 'Cached tokens that are paid again.', additionalProperties: true },
    next: {
      type: 'object',
      description: 'Forecast of the next request with and without it.',
      additionalProperties: true,
    },
    fallback: { type: 'string', description: 'Reason why the model did not contribute.' },
    position: { type: 'integer', description: 'Record of the compaction.' },
    fork: { type: 'string', description: 'Session that a fresh start created.' },
  },
  additionalProperties: true,
});

export const NUMBERED_PROMPT: z.ZodType<NumberedPrompt> = z
  .object({
    number: z.number().describe('Number from 1 on, for `beforePrompt`.'),
    position: POSITION,
    at: z.custom<NumberedPrompt['at']>().meta({ type: 'string', format: 'date-time' }),
    words: z.string(),
    begins: z.number().describe('First record of its turn.'),
  })
  .meta({ id: 'NumberedPrompt' });

export const NEXT_CALL: z.ZodType<NextCall> = z.custom<NextCall>().meta({
  id: 'NextCall',
  type: 'object',
  required: ['provider', 'model', 'parameters', 'gauge', 'tokens', 'reported'],
  properties: {
    provider: { type: 'string' },
    model: { type: 'string' },
    parameters: { type: 'object', additionalProperties: true },
    gauge: { type: 'object', description: 'Fill level of the window with the call.', additionalProperties: true },
    tokens: { type: 'object', description: 'Input by bucket.', additionalProperties: true },
    cost: { type: 'string', description: 'Cost of the input in US dollars. Absent if a price is unknown.' },
    rewrite: { type: 'object', description: 'Tokens that are paid again.', additionalProperties: true },
    reported: { type: 'boolean', description: 'True if the runtime reports the rewrite before it sends the call.' },
    compacts: { type: 'string', description: 'Reason of a compaction before the call.' },
    largePrompt: { type: 'object', description: 'Input of a large prompt.', additionalProperties: true },
    expires: { type: 'string', format: 'date-time', description: 'Time at which the cache entry expires.' },
    expired: { type: 'object', description: 'Price of the same call after that.', additionalProperties: true },
  },
});
