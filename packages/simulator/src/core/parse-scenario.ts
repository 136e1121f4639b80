// Validates a scenario that comes from a file or from the caller. An unknown key is an error.

import { z } from 'zod';
import { SimulatorError } from './errors.ts';
import type { Expectation, Scenario } from './scenario.ts';

const STOPS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const;

const callSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-zA-Z0-9_-]+$/)
    .exactOptional(),
  name: z.string().min(1),
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
});

const blockSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string().min(1) }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().exactOptional() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({ type: z.literal('tool_use'), ...callSchema.shape }),
]);

const answerSchema = z.strictObject({
  text: z.string().min(1).exactOptional(),
  thinking: z.string().exactOptional(),
  calls: z.array(callSchema).exactOptional(),
  blocks: z.array(blockSchema).exactOptional(),
  stop: z.enum(STOPS).exactOptional(),
  outputTokens: z.int().min(0).exactOptional(),
});

const count = z.int().min(0);

const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rate-limited'), retryAfter: z.number().min(0).exactOptional() }),
  z.strictObject({ kind: z.literal('overloaded') }),
  z.strictObject({ kind: z.literal('server-error') }),
  z.strictObject({
    kind: z.literal('refused'),
    message: z.string(),
    status: z.int().min(400).max(599).exactOptional(),
    type: z.string().exactOptional(),
    code: z.string().exactOptional(),
    param: z.string().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('cut'), afterEvents: count }),
  z.strictObject({ kind: z.literal('silence'), afterEvents: count.exactOptional() }),
  z.strictObject({ kind: z.literal('slow-first-byte'), ms: z.number().min(0) }),
  z.strictObject({
    kind: z.literal('error-event'),
    afterEvents: count,
    type: z.string().exactOptional(),
    message: z.string().exactOptional(),
    form: z.enum(['error', 'failed']).exactOptional(),
  }),
  z.strictObject({ kind: z.literal('malformed-event'), afterEvents: count }),
  z.strictObject({ kind: z.literal('evicted') }),
  z.strictObject({
    kind: z.literal('wrong-usage'),
    usage: z.strictObject({
      input_tokens: count.exactOptional(),
      cache_read_input_tokens: count.exactOptional(),
      cache_creation_input_tokens: count.exactOptional(),
      output_tokens: count.exactOptional(),
    }),
  }),
]);

const scenarioSchema = z.strictObject({
  steps: z.array(
    z.strictObject({
      expect: z
        .strictObject({
          lastUserText: z.string().exactOptional(),
          toolResult: z.string().exactOptional(),
          check: z.custom<NonNullable<Expectation['check']>>((value) => typeof value === 'function').exactOptional(),
        })
        .exactOptional(),
      answer: answerSchema.exactOptional(),
      fault: faultSchema.exactOptional(),
    }),
  ),
  otherwise: answerSchema.exactOptional(),
  checkpoint: answerSchema.exactOptional(),
});

/**
 * Checks a scenario that comes from a file or from the caller, and returns it with its type.
 *
 * @throws SimulatorError `simulator/bad-scenario`, with the path of each wrong value.
 */
export function parseScenario(value: unknown): Scenario {
  const parsed = scenarioSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'scenario'}: ${issue.message}`);
  throw new SimulatorError(
    'simulator/bad-scenario',
    `The scenario cannot be used: ${problems.join('; ')}. Correct these fields.`,
    { problems },
    parsed.error,
  );
}
