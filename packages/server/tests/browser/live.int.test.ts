// Tests the page in a browser with a running session: the one-time link, the text that arrives, and a question.

import type { Provider } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore, defineTool } from '@tidemark/kit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { InspectedServer } from './inspected-server.ts';
import { openInspected } from './inspected-server.ts';
import type { WatchedPage } from './open-page.ts';
import { openBrowser, openPage, skipsWithoutBrowser, violationsOf } from './open-page.ts';

const skips = skipsWithoutBrowser('the tests of a live session');

const ANSWERS: readonly ScriptedAnswer[] = [
  {
    parts: [
      { type: 'text', text: 'First I look at the gate.' },
      { type: 'text', text: ' Then I paint it.' },
      { type: 'call', call: 'c1', name: 'look', arguments: '{"at":"the gate"}' },
    ],
  },
  { parts: [{ type: 'call', call: 'c2', name: 'paint', arguments: '{"colour":"blue"}' }] },
  { parts: [{ type: 'text', text: 'The gate is blue.' }] },
];

/** Gates of the test. Each one is open after its function was called. */
const gates = { text: Promise.withResolvers<void>(), tool: Promise.withResolvers<void>() };
const painted: string[] = [];

const look = defineTool({
  name: 'look',
  description: 'Looks at something.',
  effect: 'read',
  input: z.object({ at: z.string() }),
  async run({ at }, { write }) {
    await write(`looking at ${at}\n`);
    await gates.tool.promise;
    return `${at} is grey`;
  },
});

const paint = defineTool({
  name: 'paint',
  description: 'Paints the gate.',
  effect: 'write',
  input: z.object({ colour: z.string() }),
  run: ({ colour }) => {
    painted.push(colour);
    return 'done';
  },
});

let browser: Browser;
let inspected: InspectedServer;
let watched: WatchedPage;
let link: string;

beforeAll(async () => {
  if (skips) return;
  browser = await openBrowser();
  inspected = await openInspected({
    log: createMemoryStore(),
    agent: { provider: withGate(createScriptedProvider({ answers: ANSWERS })), tools: [look, paint] },
  });
  watched = await openPage(browser);
  link = inspected.server.createLink();
});

afterAll(async () => {
  if (skips) return;
  await browser.close();
  await inspected.server.close();
});

/** Holds the second text of an answer until the gate is open. */
function withGate(provider: Provider): Provider {
  return {
    ...provider,
    async *send(outgoing) {
      for await (const part of provider.send(outgoing)) {
        if (part.type === 'text.delta' && part.index === 1) await gates.text.promise;
        yield part;
      }
    },
  };
}

test.skipIf(skips)('the one-time link opens the page once, and no address contains the code or the token', async () => {
  const { page, requests } = watched;
  await page.goto(link);
  await page.getByText('There is no session yet.').waitFor();
  const code = link.split('#code=')[1] ?? '';
  expect(page.url()).toBe(`${inspected.server.url}/#/`);
  for (const address of requests) {
    expect(address).not.toContain(code);
    expect(address).not.toContain(inspected.token);
  }
  await page.reload();
  await page.getByText('There is no session yet.').waitFor();
  const second = await openPage(browser);
  await second.page.goto(link);
  await second.page.getByRole('alert').filter({ hasText: 'used' }).waitFor();
  expect(await second.page.getByLabel('Token').isVisible()).toBe(true);
  expect(second.page.url()).not.toContain(code);
});

test.skipIf(skips)('a session is followed: its text and its output arrive, and a question is answered', async () => {
  const { page, problems } = watched;
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByLabel('Prompt').fill('Paint the gate.');
  await page.getByRole('button', { name: 'Send' }).click();
  const arriving = page.locator('.arriving');
  await arriving.filter({ hasText: 'First I look at the gate.' }).waitFor();
  expect(await arriving.textContent()).toBe('First I look at the gate.');
  gates.text.resolve();
  const call = page.locator('li.call', { hasText: 'look' });
  await call.getByText('looking at the gate').waitFor();
  expect(await page.locator('li.answer').allTextContents()).toEqual(['First I look at the gate.', ' Then I paint it.']);
  expect(await page.getByRole('alertdialog').count()).toBe(0);
  gates.tool.resolve();
  const question = page.getByRole('alertdialog');
  await question.getByText('blue').waitFor();
  expect(painted).toEqual([]);
  expect(await violationsOf(page)).toEqual([]);
  await question.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('The gate is blue.').waitFor();
  expect(painted).toEqual(['blue']);
  await question.waitFor({ state: 'detached' });
  await page.getByLabel('Prompt').waitFor();
  const shown = await page.locator('ol.conversation > li').allTextContents();
  await page.reload();
  await page.getByText('The gate is blue.').waitFor();
  expect(await page.locator('ol.conversation > li').allTextContents()).toEqual(shown);
  expect(problems).toEqual([]);
});
