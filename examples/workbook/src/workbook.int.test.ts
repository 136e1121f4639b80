// Runs the whole example. Tests the final content of the file, the recorded notes, the requests sent and the tokens
// read from the cache.

import type { SessionEvent } from '@tidemark/kit';
import type { Scenario, ScenarioStep, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openBook, writeSample } from './book-file.ts';
import { bookAgent, PROMPTS, SCENARIO } from './work.ts';

interface Played {
  readonly path: string;
  readonly simulator: Simulator;
  readonly bodies: readonly string[];
  /** Entries in log order: `prompt` for each prompt, and the cause of each structure note. */
  readonly told: readonly string[];
  /** Texts of the tool results, including errors. */
  readonly results: readonly string[];
}

async function play(prompts: readonly string[] = PROMPTS, scenario: Scenario = SCENARIO): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-workbook-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'orders.xlsx');
  await writeSample(path);
  const simulator = createSimulator({ scenario });
  const door = await simulator.listen();
  const bodies: string[] = [];
  const onRequest = (body: Uint8Array): void => void bodies.push(new TextDecoder().decode(body));
  const agent = bookAgent(path, { apiKey: 'simulated', baseURL: door.url, connection: { onRequest } });
  const session = await agent.open();
  const events: SessionEvent[] = [];
  for (const prompt of prompts) for await (const event of session.prompt(prompt)) events.push(event);
  await agent.close();
  await door.close();
  const told = events.flatMap((event) => {
    if (event.type !== 'recorded') return [];
    const { kind, data } = event.record;
    if (kind === 'context.noted' && data.source === 'structure') return [data.cause];
    return kind === 'prompt.given' ? ['prompt'] : [];
  });
  const results = events.flatMap((event) => {
    if (event.type !== 'recorded') return [];
    const { kind, data } = event.record;
    if (kind !== 'tool.returned' && kind !== 'tool.failed') return [];
    return data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  });
  return { path, simulator, bodies, told, results };
}

const calling = (name: string, input: Readonly<Record<string, unknown>>): ScenarioStep => ({
  answer: { calls: [{ name, arguments: input }] },
});

test('the agent writes values and adds a sheet, and keeps the formula, the table and the named range', async () => {
  const { path } = await play();
  const { sheets, namedRanges } = await openBook(path);
  const [orders, , counts] = sheets;
  expect(sheets.map(({ name }) => name)).toEqual(['Orders', 'Rates', 'Counts']);
  expect(orders?.rows[2]).toEqual(['Cup', 3, 7]);
  expect(orders?.cells?.get('3,2')?.formula).toBe('SUMPRODUCT(B2:B3,C2:C3)*(1+TaxRate)');
  expect(orders?.tables?.map(({ name, range }) => [name, range])).toEqual([['Orders', 'A1:C3']]);
  expect(counts?.cells?.get('1,0')?.formula).toBe('SUM(Orders!B2:B3)');
  expect(namedRanges).toEqual([{ name: 'TaxRate', range: 'Rates!$A$2' }]);
  expect(await readdir(dirname(path))).toEqual(['orders.xlsx']);
});

test('the structure is noted at the start and after a sheet is added, but not after a value is written', async () => {
  const { told } = await play();
  expect(told).toEqual(['initial', 'prompt', 'prompt', 'prompt', 'changed', 'prompt']);
});

test('the structure is noted again after a value replaces a header', async () => {
  const steps = [
    calling('cells_write', { sheet: 'Rates', cells: [{ ref: 'A1', value: 'Tax' }] }),
    { answer: { text: 'Done.' } },
  ];
  const { told } = await play(['Call it tax.'], { steps });
  expect(told).toEqual(['initial', 'prompt', 'changed']);
});

test('each request extends the previous one and reads the tokens that the previous request left in the cache', async () => {
  const { bodies, simulator } = await play();
  const sent = bodies.map((body) => JSON.stringify(JSON.parse(body, withoutMarker)));
  expect(sent).toHaveLength(8);
  sent.slice(1).forEach((body, index) => expect(body.slice(0, endOf(sent[index]).length)).toBe(endOf(sent[index])));
  let left = 0;
  for (const { usage } of simulator.calls) {
    expect(usage?.cache_read_input_tokens).toBe(left);
    left += usage?.cache_creation_input_tokens ?? 0;
  }
  expect(left).toBeGreaterThan(1_000);
});

/** Removes the cache markers from the JSON, because they move with the end of the request and are not content. */
function withoutMarker(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}

/** Returns the body up to the end of its last message. */
function endOf(body = ''): string {
  return body.slice(0, body.lastIndexOf('}]'));
}

test('a failed call leaves the file unchanged, and its error lists the existing sheets', async () => {
  const steps = [
    calling('cells_write', { sheet: 'Order', cells: [{ ref: 'A1', value: 1 }] }),
    calling('cells_write', { sheet: 'Orders', cells: [{ ref: 'a1', value: 1 }] }),
    calling('sheet_add', { sheet: 'Rates', headers: [] }),
    calling('sheet_read', { sheet: 'Orders' }),
    { answer: { text: 'So it is.' } },
  ];
  const { path, results } = await play(['Try.'], { steps });
  expect(results).toEqual([
    'There is no sheet Order. There are Orders, Rates.',
    expect.stringContaining('expected a cell such as B12'),
    'There is a sheet Rates already.',
    '["Item","Pieces","Price"]\n["Tea",3,4.5]\n["Cup",2,7]\n["Total",null,"=SUMPRODUCT(B2:B3,C2:C3)*(1+TaxRate)"]',
  ]);
  expect((await openBook(path)).sheets).toHaveLength(2);
});

test('the example runs without an API key and prints the text that the README shows', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts')], { env: {} });
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  expect(readme).toContain(stdout.trim());
});
