// Tests in a browser that no text of a session runs: in each place of the page, from the server and from a file.

import { createMemoryStore } from '@tidemark/kit';
import type { Log } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACK, attackIn, FIELDS, writeHostile } from './hostile-session.ts';
import type { InspectedServer } from './inspected-server.ts';
import { fileOf, openInspected, openPlace } from './inspected-server.ts';
import type { WatchedPage } from './open-page.ts';
import { openBrowser, openPage, skipsWithoutBrowser, writePage } from './open-page.ts';

const skips = skipsWithoutBrowser('the tests of texts that try to run');

let browser: Browser;
let log: Log;
let session: string;
let imported: string;
let inspected: InspectedServer;

beforeAll(async () => {
  if (skips) return;
  log = createMemoryStore();
  browser = await openBrowser();
  [session = '', imported = ''] = await writeHostile(log);
  inspected = await openInspected({ log });
});

afterAll(async () => {
  if (skips) return;
  await browser.close();
  await inspected.server.close();
});

test.skipIf(skips)('no text of a session runs in any place of the page', async () => {
  const watched = await openPage(browser);
  const { page } = watched;
  await openPlace(page, inspected, '#/');
  const shown: string[] = [];
  for (const place of [
    { address: '#/', shows: attackIn('title') },
    { address: '#/?search=window', shows: attackIn('prompt') },
    ...(await placesOf()),
    { address: '#/cost?window=all', shows: 'By model' },
  ])
    shown.push(await textOf(page, place));
  expectHarmless(watched, shown);
});

test.skipIf(skips)('no text of a session runs in an exported file', async () => {
  const file = await writePage(await fileOf(log, [session, imported]));
  try {
    const watched = await openPage(browser);
    await watched.page.goto(file.url);
    const shown: string[] = [];
    for (const place of await placesOf()) shown.push(await textOf(watched.page, place));
    expectHarmless(watched, shown);
    expect(watched.requests).toEqual([file.url]);
  } finally {
    await file.remove();
  }
});

interface Place {
  readonly address: string;
  /** Text that is shown when the place is complete. */
  readonly shows: string;
}

/** Returns the places of the session, with each block of its first and its last request. */
async function placesOf(): Promise<readonly Place[]> {
  const records = await Array.fromAsync(log.read(sessionId(session)));
  const requests = records.filter(({ kind }) => kind === 'request.prepared').map(({ position }) => position);
  const own = `#/sessions/${session}`;
  return [
    { address: own, shows: attackIn('answer') },
    { address: `${own}/timeline?step=0`, shows: 'Written for an hour' },
    { address: `${own}/travel`, shows: 'The last prompt was' },
    { address: `${own}/checkpoints`, shows: 'This checkpoint replaces' },
    { address: `${own}/cost`, shows: 'By model' },
    { address: `#/sessions/${imported}`, shows: 'Imported.' },
    { address: `#/sessions/${imported}/timeline`, shows: 'Written for an hour' },
    { address: `#/sessions/${imported}/cost`, shows: 'By model' },
    { address: `#/sessions/${imported}/travel`, shows: 'As it would have been sent' },
    ...requests.flatMap((position) =>
      Array.from({ length: 12 }, (_, block) => ({
        address: `${own}/request/${position}?block=${block}`,
        shows: 'Most expensive content',
      })),
    ),
  ];
}

/** Opens a place, checks that nothing of it came from a text, and returns its text. */
async function textOf(page: Page, { address, shows }: Place): Promise<string> {
  await page.goto(`${page.url().split('#')[0]}${address}`);
  await page.getByText(shows).first().waitFor();
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  const panel = page.getByRole('region', { name: 'Text of the block' });
  if ((await panel.count()) > 0) await panel.locator('.row').first().waitFor();
  expect(await page.locator('#page').locator('img, script, style, iframe, object, embed, link').count()).toBe(0);
  expect(await page.locator('a:not([href^="#"])').count()).toBe(0);
  expect(await page.evaluate('window.ran')).toBeUndefined();
  return (await page.locator('#page').textContent()) ?? '';
}

/** Checks that nothing ran, and that each field was shown as text. */
function expectHarmless({ problems }: WatchedPage, shown: readonly string[]): void {
  expect(problems).toEqual([]);
  const missing = FIELDS.filter((field) => !shown.some((text) => text.includes(attackIn(field))));
  expect(missing).toEqual([]);
  expect(shown.some((text) => text.includes('What it says') && text.includes(ATTACK))).toBe(true);
}
