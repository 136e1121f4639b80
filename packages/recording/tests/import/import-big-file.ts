// Program for a separate operating-system process. It makes a transcript of the given number of megabytes, imports it,
// and prints the peak of additional memory during the import. Run it with --expose-gc, so that garbage is not counted.

import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { openFile } from '../../src/import/open-file.ts';
import { importTranscript } from '../../src/import/import-transcript.ts';
import { answer, prompt, say, toolResult, use } from './claude-rows.ts';
import { blobRow, digestOf } from './request-rows.ts';

const [path = '', megabytes = '1', kind = 'plain'] = process.argv.slice(2);

/** Number of turns after which the recorded conversation begins again, as after a compaction. */
const TURNS = 200;

async function write(bytes: number): Promise<number> {
  const file = createWriteStream(path);
  const output = 'x'.repeat(1200);
  const made = { bytes: 0, rows: 0 };
  let parent: string | null = null;
  let hashes: string[] = [];
  let base: string | undefined;
  const send = async (id: string, message: { role: string; content: readonly object[] }): Promise<void> => {
    if (kind !== 'requests') return;
    const keep = hashes.length;
    hashes.push(digestOf(message));
    await put(blobRow(message));
    await put({
      type: 'api-request',
      id,
      params: { model: 'claude-opus-4-6' },
      keep,
      tail: hashes.slice(keep),
      shapeHash: digestOf({}),
      cacheControl: [],
      requestDigest: digestOf(id),
      ...(base === undefined ? {} : { base }),
    });
    base = id;
  };
  const put = async (row: object): Promise<void> => {
    const line = `${JSON.stringify(row)}\n`;
    made.bytes += line.length;
    made.rows += 1;
    if (!file.write(line)) await once(file, 'drain');
  };
  for (let turn = 0; made.bytes < bytes; turn += 1) {
    if (turn % TURNS === 0) [hashes, base] = [[], undefined];
    await put(prompt(`p${turn}`, parent, `prompt ${turn}`));
    await send(`r${turn}`, { role: 'user', content: [say(`prompt ${turn} ${output}`)] });
    await put(answer(`a${turn}`, `p${turn}`, `m${turn}`, use(`c${turn}`, { path: output })));
    await put(answer(`b${turn}`, `a${turn}`, `m${turn}`, use(`d${turn}`, { path: output })));
    await put(toolResult(`r${turn}`, `a${turn}`, `c${turn}`, { content: output }));
    await put(toolResult(`s${turn}`, `b${turn}`, `d${turn}`, { content: output }));
    await put(answer(`e${turn}`, `s${turn}`, `n${turn}`, say(output)));
    parent = `e${turn}`;
  }
  file.end();
  await once(file, 'close');
  return made.rows;
}

function retained(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const rows = await write(Number(megabytes) * 1024 * 1024);
const before = retained();
let peak = before;
let count = 0;
const steps = importTranscript(await openFile(path), { source: 'big.jsonl' });
let next = await steps.next();
while (next.done !== true) {
  count += 1;
  if (count % 200 === 0) peak = Math.max(peak, retained());
  next = await steps.next();
}
peak = Math.max(peak, retained());
process.stdout.write(JSON.stringify({ rows, lines: next.value.lines, calls: next.value.calls, grown: peak - before }));
