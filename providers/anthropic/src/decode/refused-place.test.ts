import { expect, it } from 'vitest';
import { refusedPlace } from './failure.ts';

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
])('finds what "%s" names', (said, place) => {
  expect(refusedPlace(said)).toEqual(place);
});

it.each([
  "messages.1.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
  "messages.2: role 'system' must follow a 'user' message",
  'messages.4: all messages must have non-empty content',
  'max_tokens: Field required',
])('takes "%s" to be about no block', (said) => {
  expect(refusedPlace(said)).toBeUndefined();
});
