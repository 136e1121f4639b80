import { expect, it } from 'vitest';
import { CodedError } from './coded-error.ts';

class PaperError extends CodedError<'paper/torn', { readonly sheet: number }> {
  override readonly name = 'PaperError';
}

class InkError extends CodedError<'ink/dry'> {
  override readonly name = 'InkError';
}

it('`CodedError` has a name, a code, data, a message and a cause', () => {
  const cause = new Error('below');
  const error = new PaperError('paper/torn', 'sheet 3 is torn: print it again', { sheet: 3 }, cause);
  expect(error).toBeInstanceOf(Error);
  expect(error).toBeInstanceOf(CodedError);
  expect([error.name, error.code, error.data, error.message, error.cause]).toEqual([
    'PaperError',
    'paper/torn',
    { sheet: 3 },
    'sheet 3 is torn: print it again',
    cause,
  ]);
});

it('`CodedError` is serialized with its name first, then its code and data', () => {
  expect(JSON.stringify(new PaperError('paper/torn', 'torn', { sheet: 3 }))).toBe(
    '{"name":"PaperError","code":"paper/torn","data":{"sheet":3}}',
  );
});

it('`CodedError` has no member `cause` or `data` if none is given', () => {
  const error = new InkError('ink/dry', 'the ink is dry', undefined);
  expect(['cause' in error, 'data' in error]).toEqual([false, false]);
  expect(JSON.stringify(error)).toBe('{"name":"InkError","code":"ink/dry"}');
});
