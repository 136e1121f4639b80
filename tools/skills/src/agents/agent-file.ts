// Parses the bytes of an agent file: Markdown with a front matter, whose body is the role of an own agent.

import { nearestName } from '@tidemark/agent';
import type { TurnLimits } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import { z } from 'zod';
import type { BadFile } from '../front-matter.ts';
import { issuesText, NO_TEXT, readFrontMatter } from '../front-matter.ts';

/** Content of an agent file. */
export interface AgentFile {
  /** Absent if the name of the file is the name of the agent. */
  readonly name?: string;
  readonly description: string;
  /** Names and patterns of tools. Absent if the agent may use all tools of its session. */
  readonly tools?: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  readonly limits?: TurnLimits;
  /** Text after the front matter. */
  readonly role: string;
}

/** Largest agent file that is read, in bytes. Its text is a part of every request of the agent. */
export const LARGEST_AGENT = 32_768;

/** Matches the name of an agent. */
export const AGENT_NAME: RegExp = /^[a-z0-9][a-z0-9-]{0,63}$/;

const NAME = 'expected 1 to 64 characters of a-z, 0-9 and -, with a letter or digit first';
const TOOL = z.string().regex(/^[A-Za-z0-9_*-]{1,64}$/, 'expected names of tools, with * for any characters');
const count = z.int('expected a whole number').min(1, 'expected a whole number above 0');
const word = z.string().trim().min(1, 'it is empty').max(200, 'it is longer than 200 characters');

/** Tools as a list, or as one text with commas. */
const tools = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value),
  z.array(TOOL, 'expected a list of tools').max(200, 'it has more than 200 tools'),
);

const fields = {
  name: z.string().regex(AGENT_NAME, NAME).nullish(),
  description: z
    .string('expected a text that describes when to use the agent')
    .trim()
    .min(1, 'it is empty')
    .refine((text) => Array.from(text).length <= 1_024, 'it is longer than 1,024 characters'),
  tools: tools.nullish(),
  model: word.nullish(),
  effort: word.nullish(),
  maxSteps: count.nullish(),
  maxDurationMs: count.nullish(),
  maxTokens: count.nullish(),
  maxCost: z
    .union([z.string(), z.number()])
    .transform(String)
    .pipe(z.string().regex(/^\d{1,9}(\.\d{1,9})?$/, 'expected US dollars, such as "0.50"'))
    .nullish(),
};

const schema = z.looseObject(fields, 'expected fields such as `description: …`');

/** Fields of other programs that narrow an agent. Leaving them out in silence would give the agent more than it asks. */
const NARROWING: ReadonlyMap<string, string> = new Map([
  ['disallowedTools', 'list the tools that the agent may use in `tools`'],
  ['disallowed-tools', 'list the tools that the agent may use in `tools`'],
  ['allowed-tools', 'use `tools`'],
  ['allowedTools', 'use `tools`'],
]);

/** Value of `model` in files of other programs for the model of the session. */
const INHERIT = 'inherit';

/** Reads the bytes of an agent file. If the file cannot be used, returns the reason. */
export async function readAgentFile(bytes: Uint8Array): Promise<AgentFile | BadFile> {
  const file = await readFrontMatter(bytes, LARGEST_AGENT);
  if ('reason' in file) return file;
  const read = schema.safeParse(file.head);
  if (!read.success) return { reason: issuesText(read.error) };
  const unknown = unknownField(Object.keys(read.data));
  if (unknown !== undefined) return { reason: unknown };
  if (file.body === '') return NO_TEXT;
  if (/[^\P{Cc}\n\t]/u.test(file.body)) return { reason: 'its text contains control characters' };
  return agentOf(read.data, file.body);
}

function agentOf(data: z.infer<typeof schema>, role: string): AgentFile {
  const { name, description, tools: names, model, effort } = data;
  const limits = defined({
    steps: data.maxSteps ?? undefined,
    ms: data.maxDurationMs ?? undefined,
    tokens: data.maxTokens ?? undefined,
    cost: data.maxCost ?? undefined,
  });
  return {
    description,
    role,
    ...defined({
      name: name ?? undefined,
      tools: names ?? undefined,
      model: model === INHERIT ? undefined : (model ?? undefined),
      effort: effort ?? undefined,
      limits: Object.keys(limits).length === 0 ? undefined : limits,
    }),
  };
}

/**
 * Returns the problem with a field that is misspelled, or that would narrow the agent in another program. Any other
 * unknown field is ignored.
 */
function unknownField(names: readonly string[]): string | undefined {
  const known = Object.keys(fields);
  for (const name of names.filter((one) => !known.includes(one))) {
    const instead = NARROWING.get(name);
    if (instead !== undefined) return `${name}: this field is not supported; ${instead}`;
    const near = nearestName(name, known);
    if (near !== undefined) return `${name}: there is no such field; did you mean \`${near}\`?`;
  }
  return undefined;
}
