// The facts of a model that a user chooses by: prices per million tokens, limits, floor and efforts, as a table.

import { defined } from '@tidemark/core';
import type { Capabilities, Price } from '@tidemark/model';
import { effortsOf, priceAt } from '@tidemark/model';

import { formatNumber } from '../frame/numbers.ts';
import type { TableOf } from '../frame/table.ts';

/** Facts of a model, as `tidemark models --json` prints them. An absent fact is unknown. */
export interface ModelFacts {
  readonly model: string;
  readonly provider: string;
  /** Prices today of a short request, in US dollars per million tokens. */
  readonly price?: Price;
  readonly window: number;
  readonly outputLimit: number;
  /** Smallest prefix that is cached, in tokens. */
  readonly floor?: number;
  readonly efforts?: readonly string[];
  /** True if there is a key of the provider. Absent if none is needed. */
  readonly key?: boolean;
  readonly source: string;
  readonly asOf: string;
}

/** Returns the facts of a model. */
export function modelFacts(
  row: Capabilities,
  { today, key }: { readonly today: string; readonly key: boolean | undefined },
): ModelFacts {
  const { model, provider, window, outputLimit, floor, source, asOf } = row;
  const facts = { price: priceAt(row, today, 0), floor, efforts: effortsOf(row), key };
  return { model, provider, window: window.tokens, outputLimit, source, asOf, ...defined(facts) };
}

/** Returns the facts as a table. Prices are in US dollars per million tokens. */
export function modelTable(models: readonly ModelFacts[]): TableOf {
  return {
    head: [
      'model',
      'provider',
      '$/M input',
      'read',
      'write',
      'output',
      'window',
      'longest answer',
      'cached from',
      'efforts',
      'key',
      'checked on',
    ],
    rows: models.map(({ model, provider, price, window, outputLimit, floor, efforts, key, asOf }) => [
      model,
      provider,
      price?.input ?? '?',
      price?.read ?? '?',
      writesOf(price),
      price?.output ?? '?',
      formatNumber(window),
      formatNumber(outputLimit),
      floor === undefined ? '?' : formatNumber(floor),
      efforts === undefined ? '?' : efforts.join(' ') || 'none',
      key === undefined ? '' : key ? 'yes' : 'no',
      asOf,
    ]),
    narrowing: [
      { column: 'checked on', leftOut: true },
      { column: 'longest answer', leftOut: true },
      { column: 'efforts', cells: models.map(({ efforts }) => shortEfforts(efforts)) },
      { column: 'cached from', leftOut: true },
      { column: 'key', leftOut: true },
      { column: 'write', leftOut: true },
      { column: 'efforts', leftOut: true },
      { column: 'provider', leftOut: true },
      { column: 'model', least: 16 },
      { column: 'window', leftOut: true },
      { column: 'read', leftOut: true },
    ],
  };
}

/** Returns the efforts as a range, such as `low … max`. */
function shortEfforts(efforts: readonly string[] | undefined): string {
  if (efforts === undefined) return '?';
  return efforts.length < 3 ? efforts.join(' ') || 'none' : `${efforts[0] ?? ''} … ${efforts.at(-1) ?? ''}`;
}

/** Returns the prices of cache writes by lifetime, such as `5m 3.75, 1h 6`. Without a price, a write costs as input. */
function writesOf(price: Price | undefined): string {
  if (price === undefined) return '?';
  const writes = Object.entries(price.writes).map(([life, dollars]) => `${life} ${dollars}`);
  return writes.length === 0 ? 'as input' : writes.join(', ');
}
