// Tests the places of the page in a browser with a played session: a break and its price by keyboard, the request with
// its first difference, time travel, the search, checkpoints, costs, and the exported file.

import { createMemoryStore } from '@tidemark/kit';
import type { Log } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InspectedServer } from './inspected-server.ts';
import { fileOf, openInspected, openPlace } from './inspected-server.ts';
import type { PageFile, WatchedPage } from './open-page.ts';
import { openBrowser, openPage, skipsWithoutBrowser, writePage } from './open-page.ts';
import type { ShopSessions } from './shop-session.ts';
import { playShop } from './shop-session.ts';

const skips = skipsWithoutBrowser('the tests of the places of the page');

let browser: Browser;
let log: Log;
let shop: ShopSessions;
let inspected: InspectedServer;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  if (skips) return;
  log = createMemoryStore();
  [browser, shop] = await Promise.all([openBrowser(), playShop(log)]);
  inspected = await openInspected({ log });
  watched = await openPage(browser);
  ({ page } = watched);
  await openPlace(page, inspected, '#/');
});

afterAll(async () => {
  if (skips) return;
  await browser.close();
  await inspected.server.close();
});

const placeOf = (view: string): string => `#/sessions/${shop.session}/${view}`;
/** Returns the position of the request of a step of the main stream. */
async function requestOf(step: number): Promise<number> {
  for await (const { kind, data } of log.read(sessionId(shop.session)))
    if (kind === 'answer.received' && data.stream === 'main' && data.step === step) return data.request ?? -1;
  throw new Error(`the session has no step ${step}`);
}

const chart = () => page.getByRole('slider', { name: 'Call' });
const heading = (name: string | RegExp) => page.getByRole('heading', { name });

describe.skipIf(skips)('the page', () => {
  test('lists the session with its fork and its subagent below it, and opens it with Enter', async () => {
    const rows = page.getByRole('grid', { name: 'Sessions' }).getByRole('row');
    await rows.nth(3).waitFor();
    const names = await rows.locator('.session-name').allTextContents();
    expect(names.toSorted()).toEqual([
      'The receipt test fails',
      expect.stringMatching(/^↳ fork /),
      expect.stringMatching(/^↳ subagent /),
    ]);
    expect(await rows.nth(1).textContent()).toMatch(/The receipt test fails.*\$0\.\d+.*%3\$/);
    await page.getByRole('grid', { name: 'Sessions' }).press('Enter');
    await heading('The receipt test fails').waitFor();
  });

  test('finds a break on the timeline by keyboard, with its cause and its price', async () => {
    await openPlace(page, inspected, placeOf('timeline'));
    await chart().focus();
    await page.keyboard.press('Home');
    await heading('Step 0').waitFor();
    await page.keyboard.press('b');
    await heading(/Step 21.*miss/).waitFor();
    await page.keyboard.press('b');
    await heading(/Step 30.*miss/).waitFor();
    const why = await page.locator('.why').textContent();
    expect(why).toMatch(/3\d,\d{3} tokens paid again, for \$0\.07/);
    expect(why).toMatch(/expired/i);
    await page.getByText('The pause before this call was 47 min').waitFor();
    await page.getByRole('row', { name: /^Additional cost of these/ }).waitFor();
    await page.waitForURL(/step=30$/);
    await page.reload();
    await heading(/Step 30.*miss/).waitFor();
  });

  test('goes from a break to its request, and marks the first difference to the character', async () => {
    await chart().focus();
    await page.keyboard.press('b');
    await heading(/Step 33/).waitFor();
    await page.keyboard.press('Enter');
    await heading('Request of step 33').waitFor();
    const difference = page.getByRole('region', { name: 'First difference' });
    await difference.getByText(/Cause: .*it cost \$0\.0\d+/).waitFor();
    expect(await difference.textContent()).toMatch(/Breaks the request of step 32 at block \d+, character \d+/);
    const marked = difference.locator('pre');
    await marked.locator('ins').waitFor();
    expect(await marked.locator('ins').textContent()).toContain('This checkpoint replaces');
    expect(await marked.locator('del').textContent()).toContain('Permission mode: auto');
  });

  test('shows the text of a block of a request with its record, and the costliest content', async () => {
    const groups = page.getByRole('option').filter({ has: page.locator('.group-row') });
    expect(await groups.locator('strong').allTextContents()).toEqual([
      'Tools',
      'System text',
      'Checkpoint and kept messages',
    ]);
    const rows = page.getByRole('table').filter({ hasText: 'Cost in the session' }).locator('tbody tr');
    await rows.first().waitFor();
    const costs = (await rows.locator('td:first-child').allTextContents()).map((text) => Number(text.slice(1)));
    expect(costs.length).toBeGreaterThan(5);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    const block = rows.filter({ hasText: 'This checkpoint replaces' }).getByRole('button');
    await block.click();
    const panel = page.getByRole('region', { name: 'Selected block' });
    await panel.getByText('This checkpoint replaces the history').waitFor();
    await panel.getByRole('link', { name: /record \d+/ }).waitFor();
  });

  test('travels in time by keys, and a link leads to the same step', async () => {
    await openPlace(page, inspected, placeOf('travel'));
    const slider = page.getByRole('slider');
    await page.getByText('Step 36 (request 37 of 37)').waitFor();
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('Step 0 (request 1 of 37)').waitFor();
    for (let step = 1; step <= 12; step += 1) await page.keyboard.press('ArrowRight');
    await page.getByText('Step 12 (request 13 of 37)').waitFor();
    const told = page.getByText('The last prompt was:');
    await told.filter({ hasText: 'Does any other file round on its own?' }).waitFor();
    const found = page.getByRole('search');
    await found.getByRole('searchbox').fill('No function rounds on its own');
    await found.getByRole('button', { name: 'Search' }).click();
    await found.getByText('In 1 block.').waitFor();
    const step12 = await requestOf(12);
    await page.waitForURL(new RegExp(`step=${step12}$`));
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Step 11 (request 12 of 37)').waitFor();
    await found.getByRole('button', { name: 'Search' }).click();
    await found.getByText('The agent did not have this text at this step.').waitFor();
    const second = await browser.newContext();
    const other = await second.newPage();
    await openPlace(other, inspected, `${placeOf('travel')}?step=${step12}`);
    await other.getByText('Step 12 (request 13 of 37)').waitFor();
    await second.close();
    // A link also leads to a step if its place is open.
    await openPlace(page, inspected, `${placeOf('travel')}?step=${step12}`);
    await page.getByText('Step 12 (request 13 of 37)').waitFor();
  });

  test('searches in all sessions, and leads to the record', async () => {
    await openPlace(page, inspected, '#/');
    await heading('Sessions').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('"cut off half cents"');
    const matches = page.getByRole('region', { name: 'Matches' });
    await matches.getByText('1 session with these words.').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('li.answer:focus', { hasText: 'cut off half cents' }).waitFor();
  });

  test('shows a checkpoint next to the conversation that it replaced', async () => {
    await openPlace(page, inspected, placeOf('checkpoints'));
    const checkpoint = page.getByRole('article', { name: /Checkpoint at record/ });
    await checkpoint.getByText('This checkpoint replaces the history').waitFor();
    const replaced = checkpoint.getByRole('listbox', { name: /Replaced conversation/ });
    await replaced.getByRole('option').first().click();
    await checkpoint.locator('pre[aria-live]').filter({ hasText: 'The receipt test fails.' }).waitFor();
  });

  test('shows the cost of the session by cause, model and day', async () => {
    await openPlace(page, inspected, placeOf('cost'));
    await page.getByText(/paid for 37 calls/).waitFor();
    const causes = page.getByRole('table', { name: /by cause/ });
    expect(await causes.locator('tbody th').allTextContents()).toHaveLength(3);
    expect(await page.getByRole('table', { name: 'By model' }).locator('tbody th').allTextContents()).toEqual([
      'claude-sonnet-5-5',
    ]);
    await page.getByRole('button', { name: 'Replay the calls' }).click();
    const cases = page.getByRole('table', { name: 'Other cache, other history' });
    await cases.getByText('$').first().waitFor();
  });

  test('reports no error in all of this', () => expect(watched.problems).toEqual([]));
});

describe.skipIf(skips)('the exported file', () => {
  let file: PageFile;
  let opened: WatchedPage;

  beforeAll(async () => {
    file = await writePage(await fileOf(log, [shop.session, shop.fork]));
    opened = await openPage(browser);
  });

  afterAll(() => file.remove());

  test('shows the same session, its breaks and its requests, and sends no request', async () => {
    const { page: own } = opened;
    await own.goto(file.url);
    await own.getByText('Exported session: read only').waitFor();
    await own.getByText('I am back. Is the change of this morning complete?').waitFor();
    await own.getByRole('link', { name: 'Timeline' }).click();
    await own.getByRole('slider', { name: 'Call' }).focus();
    await own.keyboard.press('Home');
    for (const step of [21, 30, 33]) {
      await own.keyboard.press('b');
      await own.getByRole('heading', { name: new RegExp(`Step ${step}`) }).waitFor();
    }
    await own.keyboard.press('Enter');
    await own.getByRole('region', { name: 'First difference' }).locator('pre ins').first().waitFor();
    await own.getByRole('link', { name: 'Travel in time from here' }).click();
    await own.getByText('Step 33 (request 34 of 37)').waitFor();
    await own.getByRole('link', { name: 'Checkpoints' }).click();
    await own.getByText('This checkpoint replaces the history').waitFor();
    await own.getByRole('link', { name: 'Cost', exact: true }).click();
    await own.getByText(/paid for 37 calls/).waitFor();
    expect(opened.requests).toEqual([file.url]);
    expect(opened.problems).toEqual([]);
  });
});
