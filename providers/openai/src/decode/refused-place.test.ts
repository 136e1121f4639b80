import { expect, it } from 'vitest';
import { refusedPlace } from './failure.ts';

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
])('finds what %j names', (failure, place) => {
  expect(refusedPlace(failure)).toEqual(place);
});

it.each([
  { message: "Missing required parameter: 'input[3].call_id'.", param: 'input[3].call_id' },
  { message: "Unknown parameter: 'colour'.", param: 'colour' },
  { message: "Invalid parameter: messages with role 'tool' must be a response", param: 'messages.[3].role' },
])('takes %j to be about no block', (failure) => {
  expect(refusedPlace(failure)).toBeUndefined();
});
