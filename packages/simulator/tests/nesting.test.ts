// Tests for bodies whose lists and objects are nested deeply. Without a limit, they would overflow the stack.

import { expect, it } from 'vitest';
import { simulate } from './conversation.ts';
import { simulateOpenAI } from './openai-conversation.ts';

const anthropic = simulate();
const openai = simulateOpenAI();

/** The schema of the tool is `depth` levels deep, inside of 3 further levels. */
function body(model: string, depth: number, rest: string): string {
  const schema = `{"type":"object","properties":${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}}`;
  return `{"model":"${model}","max_tokens":50,${rest.replace('SCHEMA', schema)}}`;
}

const MESSAGES = '"messages":[{"role":"user","content":"x [[[ \\" ]"}],"tools":[{"name":"t","input_schema":SCHEMA}]';
const CHAT =
  '"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"t","parameters":SCHEMA}}]';

it.each([
  ['messages', (depth: number) => anthropic.messages({ body: body('test-model', depth, MESSAGES) }), 997],
  [
    'counting',
    (depth: number) =>
      anthropic.countTokens({ body: body('test-model', depth, MESSAGES).replace('"max_tokens":50,', '') }),
    997,
  ],
  ['chat', (depth: number) => openai.chat({ body: body('gpt-old', depth, CHAT) }), 996],
] as const)('%s accepts 1,000 levels and refuses more with 400', (_, send, deepest) => {
  expect(send(deepest).status).toBe(200);
  expect(send(deepest + 1)).toMatchObject({
    status: 400,
    message: 'simulator: the body is nested deeper than 1000 levels. Send a flatter body.',
  });
  expect(send(60_000).status).toBe(400);
});

it('brackets in texts do not count as levels', () => {
  const content = JSON.stringify('[{"'.repeat(5_000));
  const { status } = anthropic.messages({
    body: `{"model":"test-model","max_tokens":50,"messages":[{"role":"user","content":${content}}]}`,
  });
  expect(status).toBe(200);
});
