import fc from 'fast-check';
import { expect, test } from 'vitest';
import { milliseconds, timestamp } from './ids.ts';

test('`milliseconds` equals `Date.getTime` for random dates from year 1 to 9999', () => {
  fc.assert(
    fc.property(
      fc.date({
        min: new Date('0001-01-01T00:00:00.000Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      (date) => {
        expect(milliseconds(timestamp(date.toISOString()))).toBe(date.getTime());
      },
    ),
  );
});
