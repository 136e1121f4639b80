// `npm run inspector-pictures`: opens each place of the inspector in a browser and writes pictures of it to
// `docs/pictures`, in light and dark. The session is played against the simulator on virtual time, so another run shows
// the same.

import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createMemoryStore } from '@tidemark/kit';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

import type { InspectedServer } from '../packages/server/tests/browser/inspected-server.ts';
import { openInspected, openPlace } from '../packages/server/tests/browser/inspected-server.ts';
import type { ColorScheme } from '../packages/server/tests/browser/open-page.ts';
import { BROWSER, openBrowser, openPage } from '../packages/server/tests/browser/open-page.ts';
import { playShop } from '../packages/server/tests/browser/shop-session.ts';

const PICTURES = fileURLToPath(new URL('../docs/pictures', import.meta.url));
/** Width of a picture in pixels. */
const WIDTH = 1_280;
/** Most colours of a picture. A picture with more is several times larger, and looks the same. */
const COLOURS = 64;

/** Folder in which the session is played. It stays empty. */
const FOLDER = join(tmpdir(), 'shop');

/** Place of the page, and what to do there before the picture is taken. */
interface Scene {
  readonly name: string;
  readonly address: string;
  /** Height of the picture in pixels. */
  readonly height: number;
  readonly ready: (page: Page) => Promise<void>;
}

await makePictures();

async function makePictures(): Promise<void> {
  if (BROWSER === undefined) throw new Error('there is no chromium: `npm run setup:system` installs it');
  await mkdir(PICTURES, { recursive: true });
  // The search shows the folder of a session.
  await mkdir(FOLDER, { recursive: true });
  process.chdir(FOLDER);
  const log = createMemoryStore();
  const { session } = await playShop(log);
  const inspected = await openInspected({ log });
  const browser = await openBrowser();
  try {
    for (const look of ['light', 'dark'] as const) {
      const { page, problems } = await openPage(browser, look);
      for (const scene of scenesOf(session)) await takePicture(page, inspected, { scene, look });
      if (problems.length > 0) throw new Error(`the page has problems: ${problems.join('; ')}`);
    }
  } finally {
    await browser.close();
    await inspected.server.close();
  }
}

interface Shot {
  readonly scene: Scene;
  readonly look: ColorScheme;
}

async function takePicture(page: Page, inspected: InspectedServer, { scene, look }: Shot): Promise<void> {
  await page.setViewportSize({ width: WIDTH, height: scene.height });
  await openPlace(page, inspected, scene.address);
  await scene.ready(page);
  await page.mouse.move(0, 0);
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const path = join(PICTURES, `inspector-${scene.name}-${look}.png`);
  const { size } = await sharp(shot).png({ palette: true, colours: COLOURS, dither: 0, effort: 10 }).toFile(path);
  console.log(`docs/pictures/inspector-${scene.name}-${look}.png ${Math.round(size / 1_000)} kB`);
}

function shows(text: string): (page: Page) => Promise<void> {
  return (page) => page.getByText(text).first().waitFor();
}

function scenesOf(session: string): readonly Scene[] {
  const own = `#/sessions/${session}`;
  return [
    { name: 'sessions', height: 300, address: '#/', ready: shows('The receipt test fails') },
    { name: 'search', height: 420, address: '#/?search=round+half', ready: shows('with these words') },
    { name: 'conversation', height: 760, address: own, ready: shows('I am back.') },
    { name: 'timeline', height: 1150, address: `${own}/timeline?step=30`, ready: shows('Written for an hour') },
    { name: 'request', height: 1220, address: `${own}/timeline?step=33`, ready: openRequest },
    { name: 'travel', height: 980, address: `${own}/travel`, ready: travelTo12 },
    { name: 'checkpoint', height: 960, address: `${own}/checkpoints`, ready: shows('This checkpoint replaces') },
    { name: 'cost', height: 1180, address: `${own}/cost`, ready: replay },
  ];
}

async function openRequest(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Open the request' }).click();
  await page.getByRole('heading', { name: 'Request of step 33' }).waitFor();
  await page.getByText('Most expensive content').waitFor();
  await page.locator('pre ins').first().waitFor();
  await page.getByRole('option').filter({ hasText: '<checkpoint>' }).click();
  await page.getByRole('region', { name: 'Text of the block' }).getByText('## Objective').waitFor();
}

async function replay(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Replay the calls' }).click();
  await page.getByRole('table', { name: 'Other cache, other history' }).waitFor();
}

async function travelTo12(page: Page): Promise<void> {
  const step = page.getByRole('spinbutton');
  await page.getByText('request 37 of 37').waitFor();
  await step.fill('12');
  await step.press('Enter');
  await page.getByText('Step 12 (request 13 of 37)').waitFor();
  await page.getByRole('region', { name: 'Text of the block' }).getByText('No function rounds on its own').waitFor();
}
