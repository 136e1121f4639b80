// Tests the accessibility of each place of the page in a browser, in light and dark: axe finds no violation of WCAG 2.2 AA.

import { createMemoryStore } from '@tidemark/kit';
import type { Log } from '@tidemark/log';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InspectedServer } from './inspected-server.ts';
import { fileOf, openInspected, openPlace } from './inspected-server.ts';
import { openBrowser, openPage, skipsWithoutBrowser, violationsOf, writePage } from './open-page.ts';
import type { ShopSessions } from './shop-session.ts';
import { playShop } from './shop-session.ts';

const skips = skipsWithoutBrowser('the tests of the accessibility');

let browser: Browser;
let log: Log;
let shop: ShopSessions;
let inspected: InspectedServer;

beforeAll(async () => {
  if (skips) return;
  log = createMemoryStore();
  [browser, shop] = await Promise.all([openBrowser(), playShop(log)]);
  inspected = await openInspected({ log });
});

afterAll(async () => {
  if (skips) return;
  await browser.close();
  await inspected.server.close();
});

interface Place {
  readonly view: string;
  /** Text that is shown when the place is complete. */
  readonly shows: string;
}

/** Places of a session. */
const PLACES: readonly Place[] = [
  { view: '', shows: 'I am back.' },
  { view: '/timeline?step=30', shows: 'Written for an hour' },
  { view: '/timeline?step=30&scale=cost', shows: 'Written for an hour' },
  { view: '/travel', shows: 'The last prompt was' },
  { view: '/checkpoints', shows: 'What it stands for' },
  { view: '/cost', shows: 'By model' },
];

async function violationsIn(page: Page, { view, shows }: Place): Promise<readonly string[]> {
  await page.getByText(shows).first().waitFor();
  const replay = page.getByRole('button', { name: 'Replay the calls' });
  if (await replay.isVisible()) {
    await replay.click();
    await page.getByRole('table', { name: 'Other cache, other history' }).waitFor();
  }
  return (await violationsOf(page)).map((text) => `${view}: ${text}`);
}

test.skipIf(skips).each(['light', 'dark'] as const)('each place of the page has no violation in %s', async (scheme) => {
  const { page: entry } = await openPage(browser, scheme);
  await entry.goto(inspected.server.url);
  const found = [...(await violationsIn(entry, { view: 'entry', shows: 'Open the one-time link' }))];
  const { page } = await openPage(browser, scheme);
  for (const place of [
    { view: '#/', shows: 'The receipt test fails' },
    { view: '#/?search=receipt', shows: 'with these words' },
    { view: '#/cost?window=all', shows: 'By model' },
    ...PLACES.map(({ view, shows }) => ({ view: `#/sessions/${shop.session}${view}`, shows })),
  ]) {
    await openPlace(page, inspected, place.view);
    found.push(...(await violationsIn(page, place)));
  }
  await openPlace(page, inspected, `#/sessions/${shop.session}/timeline?step=33`);
  await page.getByRole('link', { name: 'Open the request' }).click();
  await page.getByRole('heading', { name: 'Request of step 33' }).waitFor();
  await page.getByRole('option').first().click();
  found.push(...(await violationsIn(page, { view: 'request', shows: 'Most expensive content' })));
  expect(found).toEqual([]);
});

test.skipIf(skips)('each place of an exported file has no violation', async () => {
  const file = await writePage(await fileOf(log, [shop.session, shop.fork]));
  try {
    const { page } = await openPage(browser);
    const found: string[] = [];
    for (const place of [...PLACES, { view: '/../', shows: 'Exported session' }]) {
      await page.goto(`${file.url}#/sessions/${shop.session}${place.view}`);
      found.push(...(await violationsIn(page, place)));
    }
    expect(found).toEqual([]);
  } finally {
    await file.remove();
  }
});
