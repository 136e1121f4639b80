// Tests the example in a browser: a reload, a crash and a deploy in the middle of an answer, questions, hostile texts.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningChat } from './chat-process.ts';
import { BROWSER, openBrowser, prepareChat, texts } from './chat-process.ts';

const skips = BROWSER === undefined;
if (skips) process.stdout.write('the tests of web-chat are skipped: there is no chromium (`npm run setup:system`)\n');

/** Code that a page would run if a text became HTML. */
const HOSTILE = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;

let browser: Browser;
let folder: string;
let chat: RunningChat;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  if (skips) return;
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), 'web-chat-'));
  chat = await prepareChat(folder);
  page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(await chat.start());
});

afterAll(async () => {
  if (skips) return;
  await browser.close();
  await chat.end('SIGKILL');
  await rm(folder, { recursive: true });
});

const prompt = async (text: string): Promise<void> => {
  await page.getByRole('link', { name: 'New chat' }).click();
  await page.getByRole('textbox').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};
const idle = (): Promise<void> => page.getByRole('button', { name: 'Send' }).waitFor();
/** Waits for the middle of an answer. */
const middle = (): Promise<void> => page.getByText('Hour 3').waitFor();
const answerTo = (text: string): string =>
  [
    `You wrote: ${text}`,
    ...Array.from({ length: 12 }, (_, i) => `Hour ${i + 1}: the water rises.`),
    'This is the end.',
  ].join('\n');

/** Checks that the page shows a prompt and its answer once. */
async function expectWhole(text: string): Promise<void> {
  await page.getByText('This is the end.').waitFor();
  await idle();
  expect({ user: await texts(page, 'user'), assistant: await texts(page, 'assistant') }).toEqual({
    user: [text],
    assistant: [answerTo(text)],
  });
  expect(problems).toEqual([]);
}

test.skipIf(skips)('a page that is reloaded in the middle of an answer shows it once', async () => {
  await prompt('What does the tide do?');
  await middle();
  await page.reload();
  await expectWhole('What does the tide do?');
});

test.skipIf(skips).each(['SIGKILL', 'SIGTERM'] as const)(
  'an answer that %s cut off is resumed once, and the page connects again by itself',
  async (signal) => {
    await prompt(`Tell me about ${signal}.`);
    await middle();
    await chat.end(signal);
    await page.getByText('connection lost').waitFor();
    await chat.start();
    await expectWhole(`Tell me about ${signal}.`);
    expect(await kindsOf(page)).toMatchObject({ 'prompt.given': 1, 'turn.resumed': 1, 'turn.ended': 1 });
    await page.reload();
    await expectWhole(`Tell me about ${signal}.`);
  },
);

test.skipIf(skips)('a prompt that is sent while the server is away arrives once, also after a reload', async () => {
  await prompt('First.');
  await expectWhole('First.');
  await chat.end('SIGTERM');
  await page.getByText('connection lost').waitFor();
  await page.getByRole('textbox').fill('Second.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.pending', { hasText: 'Second.' }).waitFor();
  await chat.start();
  await page.reload();
  await page.getByText('You wrote: Second.').waitFor();
  await page.locator('.assistant', { hasText: 'This is the end.' }).nth(1).waitFor();
  await idle();
  expect(await texts(page, 'user')).toEqual(['First.', 'Second.']);
  expect(await texts(page, 'assistant')).toEqual([answerTo('First.'), answerTo('Second.')]);
});

test.skipIf(skips)('a call waits for the person, also after a crash, and runs once', async () => {
  await prompt('Book a table for Ada.');
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await chat.end('SIGKILL');
  await page.getByText('connection lost').waitFor();
  await chat.start();
  await page.getByText('connection lost').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Done. A table is booked for Ada.').waitFor();
  await idle();
  expect(await page.locator('.question').count()).toBe(0);
  expect((await readFile(join(folder, 'bookings.txt'), 'utf8')).trim().split('\n')).toHaveLength(1);
});

test.skipIf(skips)('a hostile text never runs: in a prompt, an answer, a question, a call and its result', async () => {
  await prompt(`Book a table for ${HOSTILE}`);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Done. A table is booked for').waitFor();
  await idle();
  await page.getByRole('textbox').fill(HOSTILE);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('This is the end.').waitFor();
  expect((await texts(page, 'message')).join('\n').split(HOSTILE)).toHaveLength(5);
  expect(await page.locator('main img, main script, section img').count()).toBe(0);
  expect(await page.title()).toBe('Harbour inn');
});

test.skipIf(skips)(
  'the page has a policy without inline scripts, and a request without the token is refused',
  async () => {
    const { origin } = new URL(page.url());
    const answer = await fetch(origin);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(await answer.text()).not.toMatch(/<script>|\son\w+=/);
    expect((await fetch(`${origin}/api/sessions`)).status).toBe(401);
  },
);

/** Counts the records of the session of the page by kind. */
async function kindsOf(from: Page): Promise<Readonly<Record<string, number>>> {
  const { origin, searchParams } = new URL(from.url());
  const token = await readFile(join(folder, 'token'), 'utf8');
  const address = `${origin}/api/sessions/${searchParams.get('session')}/records?limit=1000`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  const { records }: { records: readonly { readonly kind: string }[] } = JSON.parse(await answer.text());
  const counts = new Map<string, number>();
  for (const { kind } of records) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries(counts);
}
