import { expect, it } from 'vitest';
import { countBody } from './count-body.ts';

const count = (body: string): string => new TextDecoder().decode(countBody(new TextEncoder().encode(body)));

it('drops what the count refuses and keeps every other byte', () => {
  const kept =
    '"model":"m","thinking":{"type":"adaptive"},"tools":[{"name":"a","input_schema":{"10":1.0,"9":"\\u00e9}"}}],"messages":[ {"role":"user","content":"é"}]';
  expect(
    count(`{${kept},"max_tokens":9,"stream":true,"metadata":{"user_id":"u"},"diagnostics":{},"temperature":1}`),
  ).toBe(`{${kept}}`);
});
