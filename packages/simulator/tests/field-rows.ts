// Form of the tables that name the treatment of each request field of the SDKs, and the tests of such a table.

import { describe, expect, it } from 'vitest';
import type { Wire } from './conversation.ts';

/** Treatment of one field of a request, with a value that shows it. */
export type FieldRow =
  /** The value changes the answer, the usage or the refusal. `base` is added to both requests that are compared. */
  | { readonly simulated: unknown; readonly base?: Wire }
  /**
   * The value changes something that a test of this file shows, and that a comparison of two answers in process cannot
   * show.
   */
  | { readonly simulated: unknown; readonly shownBy: string }
  /** The value is accepted and changes nothing, except that a response may return it. */
  | { readonly accepted: unknown; readonly because: string }
  /** The value is refused as not simulated. `null`, and the values of `unlike`, are accepted. */
  | { readonly refused: unknown; readonly unlike?: readonly unknown[] }
  /** The SDK sends the field as a header, so it is unknown in a body. */
  | { readonly header: unknown };

/** One row for each field name. */
export type FieldRows = { readonly [field: string]: FieldRow };

/** Result of a call: its refusal text, or everything that a client can see of the answer. */
export interface Outcome {
  readonly status: number;
  readonly refusal?: string;
  readonly body?: Wire;
  readonly usage?: unknown;
}

/**
 * Sends a request with no further fields, then one with the given fields, to one new simulator. Returns the second
 * result.
 */
export type SendSecond = (base: Wire, fields: Wire) => Outcome;

/** Declares the tests of a table: each row's claim is compared with what the simulator does. */
export function testRows(title: string, rows: FieldRows, send: SendSecond): void {
  describe(title, () => {
    it.each(Object.entries(rows))('%s', (field, row) => {
      if ('header' in row) expect(send({}, { [field]: row.header }).refusal).toMatch(/Extra inputs|Unknown parameter/);
      else if ('refused' in row) checkRefused(field, row, send);
      else if ('accepted' in row) checkAccepted(field, row, send);
      else checkSimulated(field, row, send);
    });
  });
}

function checkSimulated(
  field: string,
  row: Extract<FieldRow, { readonly simulated: unknown }>,
  send: SendSecond,
): void {
  const base = 'base' in row ? row.base : {};
  const outcome = send(base, { ...base, [field]: row.simulated });
  if ('shownBy' in row) expect(outcome.status, row.shownBy).toBe(200);
  else expect(without(field, outcome)).not.toEqual(without(field, send(base, base)));
  expect(outcome.refusal ?? '').not.toMatch(/^simulator:/);
}

function checkAccepted(field: string, row: Extract<FieldRow, { readonly accepted: unknown }>, send: SendSecond): void {
  const outcome = send({}, { [field]: row.accepted });
  expect(outcome.status).toBe(200);
  expect(without(field, outcome)).toEqual(without(field, send({}, {})));
  expect(row.because).not.toBe('');
}

function checkRefused(field: string, row: Extract<FieldRow, { readonly refused: unknown }>, send: SendSecond): void {
  const outcome = send({}, { [field]: row.refused });
  expect([outcome.status, outcome.refusal]).toEqual([400, expect.stringMatching(/^simulator: .*is not simulated/)]);
  expect(outcome.refusal).toContain(field);
  for (const value of [null, ...(row.unlike ?? [])])
    expect(send({}, { [field]: value })).toMatchObject({ status: 200 });
}

/** Returns an outcome without the field's own value, which some responses return unchanged. */
function without(field: string, outcome: Outcome): Outcome {
  const { [field]: _own, ...body } = outcome.body ?? {};
  return { ...outcome, body };
}
