// Validates a scenario that comes from a file or from the caller. An unknown key is an error.

import { z } from 'zod';
import { SimulatorError } from './errors.ts';
import { LONGEST_PATTERN } from './route-match.ts';
import type { RouteMatch } from './route-match.ts';
import type { Expectation, Scenario } from './scenario.ts';
import { isObject } from './wire.ts';

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

const stepsSchema = z.array(
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
);

const defaults = { otherwise: answerSchema.exactOptional(), checkpoint: answerSchema.exactOptional() };

const scenarioSchema = z.strictObject({ steps: stepsSchema, ...defaults });

const text = z.string().min(1);

const patternSchema = z
  .strictObject({
    matches: text.max(LONGEST_PATTERN),
    flags: z
      .string()
      .regex(/^[imsu]*$/, 'only the flags i, m, s and u are allowed')
      .exactOptional(),
  })
  .superRefine(({ matches, flags = '' }, context) => {
    const problem = patternProblem(matches, flags);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem, path: ['matches'] });
  });

function patternProblem(pattern: string, flags: string): string | undefined {
  try {
    return new RegExp(pattern, flags).source === '' ? 'expected a pattern' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const TEXT_FORMS =
  'expected a text, a list of texts, {"equals": text} or {"matches": regular expression of at most 500 characters}';

const textMatchSchema = z.union([text, z.array(text).min(1), z.strictObject({ equals: z.string() }), patternSchema], {
  error: TEXT_FORMS,
});

const names = z.array(text).min(1);

const number = z.int().min(1);

const matchSchema = z.strictObject({
  wire: z.enum(['anthropic', 'openai', 'openrouter']).exactOptional(),
  model: text.exactOptional(),
  system: textMatchSchema.exactOptional(),
  prompt: textMatchSchema.exactOptional(),
  toolResult: textMatchSchema.exactOptional(),
  tools: z
    .union([names, z.strictObject({ all: names.exactOptional(), none: names.exactOptional() })], {
      error: 'expected a list of tool names, or {"all": names, "none": names}',
    })
    .exactOptional(),
  header: z.record(z.string().min(1), z.union([textMatchSchema, z.null()], { error: TEXT_FORMS })).exactOptional(),
  call: number.exactOptional(),
  routeCall: number.exactOptional(),
  predicate: z.custom<NonNullable<RouteMatch['predicate']>>((value) => typeof value === 'function').exactOptional(),
});

const routesSchema = z.strictObject({
  routes: z
    .array(
      z.strictObject({
        name: text.max(100).exactOptional(),
        match: matchSchema.exactOptional(),
        steps: stepsSchema.min(1),
        repeat: z.boolean().exactOptional(),
      }),
    )
    .min(1)
    .superRefine((routes, context) => {
      const seen = new Set<string>();
      for (const [index, { name = `route ${index + 1}` }] of routes.entries()) {
        if (seen.has(name))
          context.addIssue({
            code: 'custom',
            message: `another route is named ${JSON.stringify(name)}`,
            path: [index],
          });
        seen.add(name);
      }
    }),
  ...defaults,
});

/**
 * Checks a scenario that comes from a file or from the caller, and returns it with its type.
 *
 * @throws SimulatorError `simulator/bad-scenario`, with the path of each wrong value.
 */
export function parseScenario(value: unknown): Scenario {
  const hasRoutes = isObject(value) && Object.hasOwn(value, 'routes');
  if (hasRoutes && Object.hasOwn(value, 'steps')) throw badScenario(['scenario: use either steps or routes, not both']);
  const parsed = (hasRoutes ? routesSchema : scenarioSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'scenario'}: ${message.replace(/^Invalid (?:input|option): /, '')}`,
  );
  throw badScenario(problems, parsed.error);
}

/**
 * Checks a scenario and returns it with the same meaning. Use this function in a program, so that an editor completes
 * the fields of the scenario.
 *
 * @throws SimulatorError `simulator/bad-scenario`, with the path of each wrong value.
 */
export function defineScenario(scenario: Scenario): Scenario {
  return parseScenario(scenario);
}

function badScenario(problems: readonly string[], cause?: unknown): SimulatorError {
  return new SimulatorError(
    'simulator/bad-scenario',
    `The scenario cannot be used: ${problems.join('; ')}. Correct these fields.`,
    { problems },
    cause,
  );
}
