// Tests the terms of a search and the excerpts around its matches.

import { expect, test } from 'vitest';
import { excerptOf, matchExpression, parseSearch } from './search-terms.ts';

const excerpt = (text: string, search: string) => excerptOf(text, parseSearch(search))?.parts;

test('`matchExpression` writes each term in quotes, and words that may go on with a star', () => {
  expect(matchExpression(parseSearch('Rates "round half" src/tax.ts x - "'))).toBe(
    '"rates" * AND "round half" AND "src tax ts" * AND "x"',
  );
  expect(matchExpression(parseSearch('" - *'))).toBe('');
});

test('`excerptOf` marks every match in one line, without regard to case and accents', () => {
  expect(excerpt('The Fénce\n  and the  fences.', 'fence')).toEqual(['The ', 'Fénce', ' and the ', 'fences', '.']);
  expect(excerpt('fencing', '"fence"')).toBeUndefined();
  expect(excerpt('src/tax/rates.ts', 'tax/rates')).toEqual(['src/', 'tax/rates', '.ts']);
});

test('`excerptOf` shows the part around the first match of a long text', () => {
  const long = `${'before '.repeat(50)}heron ${'after '.repeat(100)}`;
  const parts = excerpt(long, 'heron') ?? [];
  expect(parts[0]).toMatch(/^…before /);
  expect(parts[1]).toBe('heron');
  expect(parts[2]).toMatch(/ after.*…$/);
  expect(parts.join('').length).toBeLessThan(230);
});
