// `node scripts/inspector-figures.ts [calls] [sessions]`: measures the page of the inspector in Chromium, with a long
// session and many short ones in a home of its own, served and exported by the command. Prints a row for each figure.

import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createGzip } from 'node:zlib';

import type { Page } from 'playwright-core';

import { buildParts } from '../packages/inspector/page/build-parts.ts';
import { openBrowser, openPage } from '../packages/server/tests/browser/open-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = join(ROOT, 'apps/cli/bin/tidemark.cjs');
/** Each place is opened this many times. The slowest and the fastest time are printed. */
const TIMES = 3;

const [calls = '10000', sessions = '1000'] = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), 'tidemark-inspected-'));
const environment = { ...process.env, TIDEMARK_HOME: home };
const browser = await openBrowser();
try {
  const made = execFileSync(process.execPath, [join(ROOT, 'bench/src/inspected-home.ts'), home, calls, sessions]);
  const session = String(made).trim();
  row('script of the page, gzip', `${kilobytes(await gzipBytes())} kB`);
  await measureServed(session);
  await measureFile(session);
} finally {
  await browser.close();
  await rm(home, { recursive: true });
}

function row(name: string, value: string): void {
  console.log(`| ${name} | ${value} |`);
}

function kilobytes(bytes: number): string {
  return String(Math.round(bytes / 1_000));
}

/** Returns the size of the script after compression. */
async function gzipBytes(): Promise<number> {
  const gzip = createGzip({ level: 9 });
  gzip.end((await buildParts()).script);
  let bytes = 0;
  for await (const piece of gzip) bytes += piece.length;
  return bytes;
}

async function measureServed(session: string): Promise<void> {
  const args = [COMMAND, 'serve', '--port', '0', '--json', '--provider', 'simulator'];
  const server = spawn(process.execPath, args, { env: environment, cwd: home, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line = ''] = await Array.fromAsync(firstLine(server.stdout));
    const { url, link }: { readonly url: string; readonly link: string } = JSON.parse(line);
    const { page } = await openPage(browser);
    page.setDefaultTimeout(120_000);
    await page.goto(link);
    await page.getByText(/^\d.* sessions$/).waitFor();
    const own = `${url}/#/sessions/${session}`;
    await measurePlaces(page, { list: `${url}/#/`, own });
  } finally {
    server.kill('SIGTERM');
  }
}

async function* firstLine(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  for await (const line of createInterface({ input: stream })) {
    yield line;
    return;
  }
}

async function measureFile(session: string): Promise<void> {
  const path = join(home, 'session.html');
  const begun = performance.now();
  const args = [COMMAND, 'export', session, '--format', 'inspector'];
  const command = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  await finished(command.stdout.pipe(createWriteStream(path)));
  row(
    'file: export',
    `${((performance.now() - begun) / 1_000).toFixed(1)} s, ${kilobytes((await stat(path)).size)} kB`,
  );
  const { page } = await openPage(browser);
  const times = await timesOf(page, `${pathToFileURL(path).href}#/sessions/${session}/timeline`, timelineReady);
  row('file: timeline usable', times);
}

interface Addresses {
  readonly list: string;
  readonly own: string;
}

async function measurePlaces(page: Page, { list, own }: Addresses): Promise<void> {
  row('list of sessions usable', await timesOf(page, list, (at) => at.locator('.session-rows .row').first().waitFor()));
  row('list of sessions, scrolling', await framesOf(page, '.session-rows', 'y'));
  row('timeline usable', await timesOf(page, `${own}/timeline`, timelineReady));
  row('timeline, scrolling', await framesOf(page, '.chart', 'x'));
  await page.getByRole('slider', { name: 'Call' }).focus();
  const begun = performance.now();
  await page.keyboard.press('Enter');
  await requestReady(page);
  row('request from the timeline', seconds(performance.now() - begun));
  row('request by a link', await timesOf(page, page.url(), requestReady));
  row('list of blocks, scrolling', await framesOf(page, '.list-rows', 'y'));
  row('context at the last step', await timesOf(page, `${own}/travel`, requestReady));
}

/** Waits until the chart is painted and the details of the selected call are shown. */
async function timelineReady(page: Page): Promise<void> {
  await page.getByText('Written for an hour').waitFor();
}

async function requestReady(page: Page): Promise<void> {
  await page.locator('.block-row').first().waitFor();
}

/** Opens an address in an empty page several times, and returns the times until it is ready. */
async function timesOf(page: Page, address: string, ready: (page: Page) => Promise<void>): Promise<string> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    await page.goto('about:blank');
    const begun = performance.now();
    await page.goto(address);
    await ready(page);
    times.push(performance.now() - begun);
  }
  return `${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

/** Scrolls an element for two seconds, and returns the frames that were painted in a second. */
async function framesOf(page: Page, selector: string, axis: 'x' | 'y'): Promise<string> {
  const frames: number = await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector(${JSON.stringify(selector)});
    const begun = performance.now();
    let frames = 0;
    const next = (now) => {
      frames += 1;
      box.${axis === 'x' ? 'scrollLeft' : 'scrollTop'} += 40;
      if (now - begun < 2_000) requestAnimationFrame(next);
      else resolve(frames / ((now - begun) / 1_000));
    };
    requestAnimationFrame(next);
  })`);
  return `${Math.round(frames)} frames a second`;
}
