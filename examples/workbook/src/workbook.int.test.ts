// The example as it is shown, played to its end: what the file holds then, which notes were recorded, what was sent and read.

import type { SessionEvent } from '@tidemark/kit';
import type { Scenario, Simulator } from '@tidemark/simulator';
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
  /** `prompt` and the causes of the structure's notes, in the order of the log. */
  readonly told: readonly string[];
  /** The words of the results, those of errors included. */
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
  const agent = bookAgent(path, { apiKey: 'simulated', baseURL: door.url, onRequest });
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

const calling = (name: string, input: Readonly<Record<string, unknown>>): Scenario['steps'][number] => ({
  answer: { calls: [{ name, arguments: input }] },
});

test('writes values and adds a sheet; the formula, the table and the named range are still there', async () => {
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

test('tells the structure at first and when a sheet is added, and not when a value is written', async () => {
  const { told } = await play();
  expect(told).toEqual(['initial', 'prompt', 'prompt', 'prompt', 'changed', 'prompt']);
});

test('tells it anew when a value is written over a header', async () => {
  const steps = [
    calling('cells_write', { sheet: 'Rates', cells: [{ ref: 'A1', value: 'Tax' }] }),
    { answer: { text: 'Done.' } },
  ];
  const { told } = await play(['Call it tax.'], { steps });
  expect(told).toEqual(['initial', 'prompt', 'changed']);
});

test('sends every request as the one before it and more, and reads what that left in the cache', async () => {
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

/** Markers move with the end of the request; they are no content. */
function withoutMarker(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}

/** A body up to the end of its last message. */
function endOf(body = ''): string {
  return body.slice(0, body.lastIndexOf('}]'));
}

test('leaves the file as it was where a call cannot be done, and says what there is', async () => {
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

test('runs without a key, and prints what the README shows', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts')], { env: {} });
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  expect(readme).toContain(stdout.trim());
});
