import { expect, it } from 'vitest';
import { refusedPlace, sortFailure } from './failure.ts';

const INVALID = 'invalid_request_error';

// Statuses, types and texts are from provider facts 1.6.
it.each([
  [429, 'rate_limit_error', 'slow down', 'retryable', 'provider/rate-limited'],
  [500, 'api_error', 'Internal server error', 'retryable', 'provider/server'],
  [503, undefined, 'unavailable', 'retryable', 'provider/server'],
  [409, 'conflict_error', 'conflict', 'retryable', 'provider/server'],
  [504, 'timeout_error', 'too slow', 'retryable', 'provider/timeout'],
  [529, 'overloaded_error', 'Overloaded', 'retryable', 'provider/overloaded'],
  [undefined, 'overloaded_error', 'Overloaded', 'retryable', 'provider/overloaded'],
  [undefined, 'brand_new_error', 'who knows', 'retryable', 'provider/server'],
  [400, INVALID, 'prompt is too long: 200251 tokens > 200000 maximum', 'compaction', 'provider/too-long'],
  [
    400,
    INVALID,
    'input length and `max_tokens` exceed context limit: 143653 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    'compaction',
    'provider/too-long',
  ],
  [413, 'request_too_large', 'Request exceeds the maximum size', 'compaction', 'provider/too-large'],
  [413, undefined, '<html>413 Payload Too Large</html>', 'compaction', 'provider/too-large'],
  [
    400,
    INVALID,
    'messages.15: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    'refused',
    'provider/unclosed-history',
  ],
  [
    400,
    INVALID,
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    'refused',
    'provider/unclosed-history',
  ],
  [400, INVALID, '`tool_result` blocks must come first', 'refused', 'provider/unclosed-history'],
  [400, INVALID, 'text content blocks must be non-empty', 'refused', 'provider/invalid'],
  [400, INVALID, 'This model does not support assistant message prefill.', 'refused', 'provider/unsupported'],
  [400, INVALID, "role 'system' is not supported on this model", 'refused', 'provider/unsupported'],
  [400, INVALID, 'messages.1.content.0: Invalid `signature` in `thinking` block.', 'refused', 'provider/invalid'],
  [400, INVALID, 'A maximum of 4 blocks with cache_control may be provided. Found 5.', 'refused', 'provider/invalid'],
  [400, INVALID, 'Your credit balance is too low to access the Anthropic API.', 'stop', 'provider/billing'],
  [401, 'authentication_error', 'invalid x-api-key', 'stop', 'provider/authentication'],
  [402, 'billing_error', 'pay', 'stop', 'provider/billing'],
  [403, 'permission_error', 'no', 'stop', 'provider/permission'],
  [404, 'not_found_error', 'model: nope', 'refused', 'provider/not-found'],
])(
  '`sortFailure` maps status %s, type %s and text "%.40s" to class %s and code %s',
  (status, type, message, sorted, code) => {
    const failure = { message, ...(status !== undefined && { status }), ...(type !== undefined && { type }) };
    const error = sortFailure(failure);
    expect(error).toMatchObject({ class: sorted, code });
    expect(error.message).toContain(message);
  },
);

it('the error message names the failed request, the cause and the next step', () => {
  const { message, data } = sortFailure({
    status: 429,
    type: 'rate_limit_error',
    message: 'slow down',
    afterMs: 3_000,
  });
  expect(message).toBe(
    'Anthropic did not answer the request (429 rate_limit_error): slow down. Next: send it again later',
  );
  const next = 'send it again later';
  expect(data).toEqual({ provider: 'anthropic', next, status: 429, type: 'rate_limit_error', afterMs: 3_000 });
});

it.each([
  [
    'messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes',
    { holds: 'image', message: 3, content: 1 },
  ],
  [
    'messages.5.content.0.tool_result.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    { holds: 'image', message: 5, content: 0, inner: 2 },
  ],
  ['messages.1.content.0: Invalid `signature` in `thinking` block', { holds: 'thinking', message: 1, content: 0 }],
  ['messages.15: `tool_use` ids were found without `tool_result` blocks', { holds: 'call', message: 15 }],
  ['messages.2.content.4.web_search_tool_result.content: Field required', { message: 2, content: 4 }],
  ['Could not process image', { holds: 'image' }],
])('`refusedPlace` finds the block that "%s" names', (text, place) => {
  expect(refusedPlace(text)).toEqual(place);
});

it.each([
  "messages.1.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
  "messages.2: role 'system' must follow a 'user' message",
  'messages.4: all messages must have non-empty content',
  'max_tokens: Field required',
])('`refusedPlace` finds no block in "%s"', (text) => {
  expect(refusedPlace(text)).toBeUndefined();
});
