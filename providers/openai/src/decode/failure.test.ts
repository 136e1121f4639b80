import { expect, it } from 'vitest';
import { SERVICE } from '../../tests/fixtures.ts';
import type { OpenAIFailure } from './failure.ts';
import { refusedPlace, sortFailure } from './failure.ts';

const INVALID = 'invalid_request_error';

// Statuses, codes, types and texts are from provider-facts §2.5, and from compatible servers.
const CASES: readonly (readonly [OpenAIFailure, string, string])[] = [
  [
    {
      status: 429,
      code: 'rate_limit_exceeded',
      type: 'tokens',
      message:
        'Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s.',
    },
    'retryable',
    'provider/rate-limited',
  ],
  [
    {
      status: 429,
      code: 'rate_limit_exceeded',
      message:
        'Request too large for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Requested 48016.',
    },
    'compaction',
    'provider/too-long',
  ],
  [{ status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' }, 'stop', 'provider/billing'],
  [{ status: 500, code: 'server_error', message: 'The server had an error' }, 'retryable', 'provider/server'],
  [{ code: 'server_error', message: 'inside the stream' }, 'retryable', 'provider/server'],
  [{ status: 503, message: 'The engine is currently overloaded' }, 'retryable', 'provider/overloaded'],
  [{ status: 502, message: '<html>bad gateway</html>' }, 'retryable', 'provider/server'],
  [{ status: 504, message: 'too slow' }, 'retryable', 'provider/timeout'],
  [{ code: 'brand_new_error', message: 'who knows' }, 'retryable', 'provider/server'],
  [
    {
      status: 400,
      code: 'context_length_exceeded',
      type: INVALID,
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    },
    'compaction',
    'provider/too-long',
  ],
  [
    {
      status: 400,
      type: 'BadRequestError',
      message:
        "This model's maximum context length is 4097 tokens. However, your messages resulted in 4363 tokens. Please reduce the length of the messages.",
    },
    'compaction',
    'provider/too-long',
  ],
  [
    { status: 400, type: 'exceed_context_size_error', message: 'the request exceeds the available context size' },
    'compaction',
    'provider/too-long',
  ],
  [{ status: 500, message: 'the context length was exceeded' }, 'compaction', 'provider/too-long'],
  [{ status: 413, message: '<html>413</html>' }, 'compaction', 'provider/too-large'],
  [
    { status: 400, type: INVALID, message: 'No tool output found for function call call_1.' },
    'refused',
    'provider/unclosed-history',
  ],
  [
    {
      status: 400,
      type: INVALID,
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    },
    'refused',
    'provider/unclosed-history',
  ],
  [
    {
      status: 400,
      type: INVALID,
      code: 'unsupported_parameter',
      message: "Unsupported parameter: 'max_tokens' is not supported with this model.",
    },
    'refused',
    'provider/unsupported',
  ],
  [
    { status: 400, type: INVALID, code: 'previous_response_not_found', message: 'Previous response not found.' },
    'refused',
    'provider/invalid',
  ],
  [{ status: 400, type: INVALID, message: 'Invalid type for input[0]' }, 'refused', 'provider/invalid'],
  [
    { status: 404, code: 'model_not_found', message: 'The model `nope` does not exist' },
    'refused',
    'provider/not-found',
  ],
  [{ status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided' }, 'stop', 'provider/authentication'],
  [{ status: 402, message: 'pay' }, 'stop', 'provider/billing'],
  [{ status: 403, message: 'no' }, 'stop', 'provider/permission'],
];

it.each(CASES)('`sortFailure` maps %j to class %s and code %s', (failure, sorted, code) => {
  const error = sortFailure(SERVICE, failure);
  expect(error).toMatchObject({ class: sorted, code });
  expect(error.message).toContain(failure.message);
});

it('the error message names the failed request, the cause and the next step, and the error data contains the time to wait', () => {
  const { message, data } = sortFailure(SERVICE, {
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'slow. Please try again in 11.054s.',
  });
  expect(message).toBe(
    'Somebody did not answer the request (429 rate_limit_exceeded): slow. Please try again in 11.054s. Next: send it again later',
  );
  const next = 'send it again later';
  expect(data).toEqual({ provider: 'somebody', next, status: 429, type: 'rate_limit_exceeded', afterMs: 11_054 });
  expect(sortFailure(SERVICE, { status: 429, message: 'try again in 350ms', afterMs: 7 }).data.afterMs).toBe(7);
  expect(sortFailure(SERVICE, { status: 429, message: 'try again in 350ms' }).data.afterMs).toBe(350);
});

it.each([
  [
    { message: "Invalid 'input[2].content[1].image_url'.", param: 'input[2].content[1].image_url' },
    { holds: 'image', message: 2, content: 1 },
  ],
  [
    { message: 'The image data you provided does not represent a valid image.', param: 'input[4].output[0].image_url' },
    { holds: 'image', message: 4, inner: 0 },
  ],
  [{ message: 'No, thank you.', code: 'image_parse_error' }, { holds: 'image' }],
  [{ message: 'It could not be verified.', code: 'invalid_encrypted_content' }, { holds: 'thinking' }],
  [
    { message: "Item 'rs_1' of type 'reasoning' was provided without its required following item." },
    { holds: 'thinking' },
  ],
  [{ message: 'No tool output found for function call call_1.' }, { holds: 'call', call: 'call_1' }],
  [{ message: 'No tool call found for function call output with call_id call_1.' }, { holds: 'call', call: 'call_1' }],
])('`refusedPlace` finds the block that %j names', (failure, place) => {
  expect(refusedPlace(failure)).toEqual(place);
});

it.each([
  { message: "Missing required parameter: 'input[3].call_id'.", param: 'input[3].call_id' },
  { message: "Unknown parameter: 'colour'.", param: 'colour' },
  { message: "Invalid parameter: messages with role 'tool' must be a response", param: 'messages.[3].role' },
])('`refusedPlace` finds no block in %j', (failure) => {
  expect(refusedPlace(failure)).toBeUndefined();
});
