// A gauge in words, for people: what the next request holds, how near that is to the limit, and where it costs more.

import type { Gauge } from './gauge.ts';

/** `about 163,000 of 200,000 tokens (81%), warning; 1.2 of 32.0 MB`. What is unknown is said to be. */
export function gaugeInWords(gauge: Gauge): string {
  const { bytes, bytesLimit, tier } = gauge;
  const said = tier === 'unknown' ? '' : `, ${tier}`;
  const heavy = bytesLimit === undefined ? '' : `; ${megabytes(bytes)} of ${megabytes(bytesLimit)} MB`;
  return `${tokensInWords(gauge)}${said}${heavy}${cliffInWords(gauge)}`;
}

function tokensInWords({ input, margin, limit, ratio }: Gauge): string {
  const most = limit === 0 ? 'an unknown limit of' : grouped(limit);
  if (input === undefined) return `an unknown part of ${most} tokens`;
  const share = ratio === undefined ? '' : ` (${Math.floor(100 * ratio)}%)`;
  return `about ${grouped(input)}${margin ? ` ± ${grouped(margin)}` : ''} of ${most} tokens${share}`;
}

function cliffInWords({ cliff }: Gauge): string {
  if (cliff === undefined) return '';
  const above = grouped(cliff.above);
  return cliff.passed
    ? `; above ${above} tokens, where the whole request costs more`
    : `; above ${above} tokens the whole request would cost more`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
