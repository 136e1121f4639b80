// Worker thread that converts one HTML document. This file starts the thread and is also the program of the thread: a
// bundle then keeps both in one file. It imports nothing of the project statically, because a bundle could put such an
// import into the file of the program that started the thread.

import { parentPort, Worker, workerData } from 'node:worker_threads';

import type { MarkdownPage } from './html-to-markdown.ts';

/** Document to convert. `as` is `plain` for the text without markup. */
export interface HtmlJob {
  readonly html: string;
  readonly address: string;
  readonly as: 'markdown' | 'plain';
}

/** Maximum memory of the thread in MiB. A document of the maximum size needs less than half of it. */
const MEMORY_MIB = 512;

/** Starts a thread for a document. The thread posts one `MarkdownPage`, or ends with an error. */
export function startHtmlWorker(job: HtmlJob): Worker {
  return new Worker(new URL(import.meta.url), {
    workerData: { tidemarkHtml: job },
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: 64 },
  });
}

async function convert({ html, address, as }: HtmlJob): Promise<MarkdownPage> {
  if (as === 'markdown') {
    const { htmlToMarkdown } = await import('./html-to-markdown.ts');
    return htmlToMarkdown(html, address);
  }
  const { plainText } = await import('./plain-text.ts');
  return { title: '', text: plainText(html), part: 'plain' };
}

function isJob(data: unknown): data is { readonly tidemarkHtml: HtmlJob } {
  return typeof data === 'object' && data !== null && 'tidemarkHtml' in data;
}

if (isJob(workerData)) parentPort?.postMessage(await convert(workerData.tidemarkHtml), []);
