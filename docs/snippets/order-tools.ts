// Tools of the complete order desk. `refund` has a title for the permission request, reports progress, and records each
// payment under the id of its call.

import { defineTool } from '@tidemark/kit';
import type { Tool } from '@tidemark/kit';
import { z } from 'zod';

const paid = new Map([['A-17', 39]]);

/** Stand-in for a payment service: the paid amount in euros, by the id of the call that requested it. */
const payments = new Map<string, number>();

export const findOrder: Tool = defineTool({
  name: 'find_order',
  description: 'Returns the amount that was paid for an order, in euros.',
  input: z.object({ order: z.string() }),
  effect: 'read',
  run: ({ order }) => ({ order, paid: paid.get(order) ?? 'no such order' }),
});

export const refund: Tool = defineTool({
  name: 'refund',
  description: 'Refunds an amount of an order, in euros.',
  input: z.object({ order: z.string(), euros: z.number().positive() }),
  effect: 'write',
  title: ({ order, euros }) => `refund ${euros} euros of ${order}`,
  run: ({ order, euros }, { call, progress }) => {
    if (euros > (paid.get(order) ?? 0)) throw new Error(`${euros} euros is more than was paid for ${order}`);
    progress(`paying ${order}`);
    payments.set(call, euros);
    return `Paid ${euros} euros of ${order} back.`;
  },
});
