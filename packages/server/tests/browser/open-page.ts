// A browser for tests of the page, and what a page must never do: fail, break its policy, or ask another server.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Path of the browser, or `undefined` if there is none. */
export const BROWSER: string | undefined = findBrowser();

function findBrowser(): string | undefined {
  try {
    return execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** True if there is no browser. Prints the reason. */
export function skipsWithoutBrowser(tests: string): boolean {
  if (BROWSER === undefined)
    process.stdout.write(`${tests} are skipped: there is no chromium (\`npm run setup:system\`)\n`);
  return BROWSER === undefined;
}

/** Opens a browser. */
export function openBrowser(): Promise<Browser> {
  // The pages come from this test, and containers without user namespaces have no sandbox.
  return chromium.launch({ executablePath: BROWSER ?? '', args: ['--no-sandbox'] });
}

/** A page that is watched. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the page, messages about its policy, dialogs, and requests to another server. */
  readonly problems: readonly string[];
  /** Addresses that the page requested. */
  readonly requests: readonly string[];
}

/** Look of a page. */
export type ColorScheme = 'light' | 'dark';

/** Opens an empty page of its own, without the data of other pages. */
export async function openPage(browser: Browser, colorScheme: ColorScheme = 'light'): Promise<WatchedPage> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  const requests: string[] = [];
  let home: string | undefined;
  page.on('pageerror', ({ message }) => problems.push(`error: ${message}`));
  page.on('console', (message) => {
    // A refused request is shown in the page, and the test looks at it there.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) problems.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    home ??= origin;
    requests.push(request.url());
    if (origin !== home && protocol !== 'data:' && protocol !== 'blob:') problems.push(`request: ${request.url()}`);
  });
  return { page, problems, requests };
}

/** A page that was written to a file. */
export interface PageFile {
  readonly url: string;
  remove(): Promise<void>;
}

/** Writes a page to a file of the disk. */
export async function writePage(html: string): Promise<PageFile> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-inspector-'));
  const path = join(folder, 'session.html');
  await writeFile(path, html);
  return { url: pathToFileURL(path).href, remove: () => rm(folder, { recursive: true }) };
}

/** Checks the accessibility of the present page by WCAG 2.2 AA, and returns the violations with their elements. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
    id + ': ' + help + ': ' + nodes.slice(0, 3).map(({ html, any }) =>
      html.slice(0, 200) + ' ' + any.map(({ message }) => message).join(', ')).join(' | ')))`);
}
