// Structured output: asks the model for JSON that matches a schema, and reads its answer. The request for JSON is added
// to the prompt as text. The prefix therefore only grows (L3), and every provider supports it.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { defined, JsonDepthError, parseJson } from '@tidemark/core';
import type { JsonValue } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import { describeIssues } from './describe-issues.ts';

/** Schema that the last answer of a turn must match. It consists of a request text for the model and a parser. */
export interface AnswerSchema<Output> {
  /** Text that is added to the prompt. It asks the model for JSON that matches the schema. */
  readonly request: string;
  /**
   * Parses and checks an answer. The same answer is checked only one time, because the schema may run code of the
   * author. Never rejects.
   */
  read(answer: string): Promise<CheckedAnswer<Output>>;
}

/**
 * Result of a check. It is the value, a text that describes each problem of the answer, or the error that the schema
 * threw.
 */
export type CheckedAnswer<Output> =
  | { readonly value: Output }
  | { readonly problem: string }
  | { readonly thrown: unknown };

const TARGET = 'draft-2020-12';

/**
 * Returns the JSON Schema of a schema that implements Standard JSON Schema (zod from 4.2, arktype from 2.1.28, valibot
 * by `toStandardJsonSchema`). Otherwise returns the reason. `unsupported`: the schema does not implement it. `failed`:
 * the library cannot write this schema.
 */
export function jsonSchemaOf(
  schema: StandardSchemaV1,
): { readonly schema: JsonValue } | { readonly problem: 'unsupported' | 'failed'; readonly cause?: unknown } {
  // A program in JavaScript can pass a value that is not a schema.
  const standard: (typeof schema)['~standard'] | undefined = Object(schema)['~standard'];
  if (standard === undefined || !describesItself(standard)) return { problem: 'unsupported' };
  try {
    const { $schema: _dialect, ...rest } = standard.jsonSchema.input({ target: TARGET });
    // The library may return an object with values that JSON cannot represent. Only the JSON form is sent to the model.
    const plain: JsonValue = JSON.parse(JSON.stringify(rest));
    return { schema: plain };
  } catch (cause) {
    return { problem: 'failed', cause };
  }
}

function describesItself(
  standard: StandardSchemaV1.Props | (StandardSchemaV1.Props & StandardJSONSchemaV1.Props),
): standard is StandardSchemaV1.Props & StandardJSONSchemaV1.Props {
  return 'jsonSchema' in standard;
}

/**
 * Creates the request text and the parser for a schema.
 *
 * @throws AgentError `agent/no-schema` if the schema cannot be written as JSON Schema.
 */
export function createAnswerSchema<Output>(schema: StandardSchemaV1<unknown, Output>): AnswerSchema<Output> {
  const described = jsonSchemaOf(schema);
  if ('problem' in described) throw noSchema(schema, described.cause);
  const json = JSON.stringify(described.schema);
  let last: { readonly answer: string; readonly checked: Promise<CheckedAnswer<Output>> } | undefined;
  return {
    request: `${REQUEST}${json}`,
    read(answer) {
      if (last?.answer !== answer) last = { answer, checked: checkBy(schema, described.schema, answer) };
      return last.checked;
    },
  };
}

/** Beginning of the request text. The JSON Schema comes after it. */
const REQUEST =
  'When the work is done, answer with one JSON value that matches this JSON Schema. The answer contains only the JSON, without other text and without a code fence.\n';

/** Returns true for the text that `createAnswerSchema` adds to a prompt. It is not part of the user's own words. */
export function isAnswerRequest(text: string): boolean {
  return text.startsWith(REQUEST);
}

async function checkBy<Output>(
  schema: StandardSchemaV1<unknown, Output>,
  json: JsonValue,
  answer: string,
): Promise<CheckedAnswer<Output>> {
  const given = parseAnswer(answer);
  if ('problem' in given) return given;
  try {
    const checked = await schema['~standard'].validate(given.value);
    if (checked.issues === undefined) return { value: checked.value };
    return { problem: describeIssues(checked.issues, json, given.value) };
  } catch (thrown) {
    return { thrown };
  }
}

const FENCED = /^``` *\w*\r?\n([\s\S]*?)\r?\n?```$/;

/** Parses an answer as JSON. A code fence around the JSON is accepted, because models often write one. */
function parseAnswer(answer: string): { readonly value: unknown } | { readonly problem: string } {
  const text = answer.trim();
  try {
    return { value: parseJson(FENCED.exec(text)?.[1] ?? text) };
  } catch (error) {
    if (error instanceof JsonDepthError) return { problem: `the answer is not accepted: ${error.message}` };
    return { problem: text === '' ? 'the answer is empty' : 'the answer is not JSON' };
  }
}

function noSchema(schema: StandardSchemaV1, cause: unknown): AgentError {
  const standard: Partial<StandardSchemaV1['~standard']> | undefined = Object(schema)['~standard'];
  if (standard === undefined)
    return new AgentError('agent/no-schema', '`output` is not a Standard Schema, such as one of zod');
  const { vendor } = standard;
  const message =
    `the schema of \`output\` (${vendor}) cannot be written as JSON Schema: ` +
    'use only types that JSON has, or a release of the library that supports Standard JSON Schema';
  return new AgentError('agent/no-schema', message, defined({ vendor }), cause);
}
