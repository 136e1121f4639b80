// Tests the page of an audit: no text of a session becomes markup, nothing private is in it by default, and its figures
// are those of the audit.

import type { Advice } from '@tidemark/analytics';
import { sumOfMoney } from '@tidemark/model';
import { expect, test } from 'vitest';

import { EMPTY_AUDIT, HOSTILE, PRETEND_AUDIT, PRETEND_CALLS } from '../../tests/pretend-audit.ts';
import { auditPage } from './audit-page.ts';
import { CAUSE_GROUPS } from './audit-colours.ts';
import { barsOf } from './audit-days.ts';
import { escapeText } from './markup.ts';

const ADVICE: Advice = {
  cause: 'expired',
  transcripts: 1,
  calls: 4,
  share: 0.9,
  before: '7.3',
  effects: [
    { change: 'one-hour', cost: '7', saving: '0.3' },
    { change: 'keep-warm', cost: '8.5', saving: '-1.2' },
  ],
};

function pageOf(titles: boolean, advice: readonly Advice[] = []): string {
  return auditPage(PRETEND_AUDIT, { callsOf: () => PRETEND_CALLS, advice, titles });
}

test('`auditPage` escapes titles, projects, models and ids, and loads and runs nothing', () => {
  const page = pageOf(true, [ADVICE]);
  expect(page.startsWith('<!doctype html>\n')).toBe(true);
  expect(page.trimEnd().endsWith('</html>')).toBe(true);
  expect(page).not.toMatch(/<script|<img|<svg onload|<link|<iframe|\u202e|@import|url\((?!#)/);
  expect(page).toContain('default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;');
  for (const text of Object.values(HOSTILE)) expect(page).toContain(escapeText(text));
  const tags = [...page.matchAll(/<([a-z]+)((?:\s[^<>]*)?)>/g)];
  const attributes = tags.flatMap(([, , inside = '']) =>
    [...inside.replaceAll(/"[^"]*"/g, '""').matchAll(/([a-zA-Z-]+)=/g)].map(([, name]) => name),
  );
  expect(attributes.filter((name) => name?.startsWith('on') === true || name === 'src')).toEqual([]);
});

test('`auditPage` closes every element that it opens', () => {
  const page = pageOf(true, [ADVICE]);
  for (const tag of ['g', 'svg', 'div', 'details', 'table', 'tr', 'td', 'th', 'ul', 'li', 'p', 'dl', 'main'])
    expect([tag, page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length]).toEqual([
      tag,
      page.match(new RegExp(`</${tag}>`, 'g'))?.length,
    ]);
});

test('`auditPage` contains no title, no whole path and no reason of a skipped file without `titles`', () => {
  const page = pageOf(false);
  for (const text of ['prompt&quot;', 'alert(&quot;', 'secret-client', 'anna', '.claude', 'not JSON'])
    expect([text, page.includes(text)]).toEqual([text, false]);
  expect(page).toContain('1 transcript could not be read');
  expect(page).toContain('The page contains no text of the sessions and no whole paths.');
  for (const text of ['alert(&quot;prompt', 'secret-client', 'not JSON']) expect(pageOf(true)).toContain(text);
});

test('`auditPage` shows the sums of the audit, and one table row per day with its difference by cause', () => {
  const page = pageOf(false);
  const shown = page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(shown).toContain('paid $7.30 at the list price');
  expect(shown).toContain('had to cost $5.10 if every token');
  expect(shown).toContain('difference $2.20 30.1% of the paid cost');
  expect(shown).toContain('day calls paid had to cost difference front expired');
  expect(shown).toContain('2026-11-02 4 $0.300 $0.100 $0.200 $0.0500 $0.150');
  expect(shown).toContain('2026-11-05 4 $7.00 $5.00 $2.00 $2.00 $0');
  expect(shown).toContain('1 call without a price');
});

test('`auditPage` has a style for each group of causes, and each pattern that a style names', () => {
  const page = pageOf(false);
  expect(new Set(CAUSE_GROUPS.map(({ name }) => name)).size).toBe(7);
  for (const { colour } of CAUSE_GROUPS) expect(page).toMatch(new RegExp(`\\.${colour} \\{ fill: (var|url)\\(`));
  const named = [...page.matchAll(/url\(#([\w-]+)\)/g)].map(([, id]) => id);
  expect(named).toHaveLength(6);
  for (const id of named) expect(page).toContain(`<pattern id="${id}"`);
});

test('`auditPage` draws each bar as high as its paid cost', () => {
  const [, drawing = ''] = /<div class="chart">(.*?)<\/svg>/s.exec(pageOf(false)) ?? [];
  const bars = drawing.split('<g>').slice(1);
  const heights = bars.map((bar) =>
    [...bar.matchAll(/<rect class="(?!hover)\w+"[^>]* height="([\d.]+)em"/g)].reduce(
      (sum, [, one]) => sum + Number(one),
      0,
    ),
  );
  // The days between the two have empty bars. The drawing is 14 em high and ends at $8.
  expect(heights).toHaveLength(4);
  for (const [index, paid] of [0.3, 0, 0, 7].entries()) expect(heights[index]).toBeCloseTo((14 * paid) / 8, 2);
});

test('`auditPage` draws each call since the start of the audit, with its cause, its pause and its missing counts', () => {
  const page = pageOf(false);
  expect(page).not.toContain('before-the-audit');
  const strip = /<div class="strip">.*?<\/svg>/s.exec(page)?.[0] ?? '';
  expect(strip.match(/<title>/g)).toHaveLength(3);
  expect(strip).toContain('without token counts');
  expect(strip).toContain('paid again: 3,000 (expired)\nafter a pause of 12 minutes');
  expect(strip).toMatch(/<rect class="pause" x="5\.00%" width="2\.500%" y="0\.00em" height="4\.20em"/);
  expect(strip).toMatch(/<rect class="pause mark" x="5\.00%"/);
  expect(strip.match(/class="rest"/g)).toHaveLength(1);
});

test('`auditPage` draws at most six strips of a very long session', () => {
  const call = PRETEND_CALLS[3];
  const calls = Array.from({ length: 1_601 }, (_, index) => ({
    ...(call ?? { model: '', input: 0, read: 0, written: 0 }),
    again: index,
    at: new Date(Date.UTC(2026, 10, 2) + index * 1_000).toISOString(),
  }));
  const page = auditPage(PRETEND_AUDIT, { callsOf: () => calls, advice: [], titles: false });
  expect(page.match(/<div class="strip">/g)).toHaveLength(6);
  expect(page).toContain('Drawn are the 6 of 9 parts of the session that paid most again.');
  for (const [part, isDrawn] of [
    ['calls 201 to 400', false],
    ['calls 401 to 600', true],
    ['calls 1401 to 1600', true],
    ['calls 1601 to 1601', false],
  ])
    expect([part, page.includes(`<p class="soft">${part}`)]).toEqual([part, isDrawn]);
});

test('`auditPage` shows a saving, and a change that would have cost more', () => {
  const shown = pageOf(false, [ADVICE])
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  expect(shown).toContain('write the cache with a lifetime of one hour: saves $0.300 ($7.00)');
  expect(shown).toContain('at most a tenth of the cost: costs $1.20 more ($8.50)');
  expect(pageOf(false)).not.toContain('id="advice"');
});

test('`auditPage` of an audit without calls says so', () => {
  const page = auditPage(EMPTY_AUDIT, { callsOf: () => [], advice: [], titles: false });
  expect(page).toContain('No calls were found since 2026-11-02.');
  expect(page).not.toMatch(/NaN|Infinity|undefined|class="chart"/);
});

test('`barsOf` keeps the exact sums of the days, by day, week and month', () => {
  const days = (last: string) => [PRETEND_AUDIT.days, PRETEND_AUDIT.days.map((day) => ({ ...day, day: last }))].flat();
  for (const [last, length, count] of [
    ['2026-11-08', 'day', 7],
    ['2027-10-01', 'week', 48],
    ['2029-11-01', 'month', 37],
  ] as const) {
    const found = barsOf(days(last));
    expect([found.length, found.bars.length]).toEqual([length, count]);
    expect(sumOfMoney(found.bars.map(({ paid }) => paid))).toBe('14.600000002');
    expect(sumOfMoney(found.bars.flatMap(({ byGroup }) => [...byGroup.values()]))).toBe('4.4');
  }
});
