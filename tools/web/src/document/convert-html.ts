// Converts an HTML document in a worker thread, with limits on time and memory. If the conversion to Markdown fails or
// takes too long, a second thread returns the plain text.

import pLimit from 'p-limit';

import { WebError } from '../web-error.ts';
import type { MarkdownPage } from './html-to-markdown.ts';
import type { HtmlJob } from './html-worker.ts';

/** Maximum time of a conversion in milliseconds. */
export interface ConversionTimes {
  readonly markdown: number;
  readonly plain: number;
}

const TIMES: ConversionTimes = { markdown: 10_000, plain: 10_000 };

/**
 * Maximum number of threads of this process that convert documents at the same time. An answer of a model can contain
 * many calls of `fetch`.
 */
const oneOfFew = pLimit(3);

/**
 * Returns a document as Markdown, or as plain text if it cannot be converted.
 *
 * @throws WebError `web/unreadable` if not even the plain text can be found.
 * @throws the reason of the signal when it aborts.
 */
export async function convertHtml(
  document: Pick<HtmlJob, 'html' | 'address'>,
  signal: AbortSignal,
  times: ConversionTimes = TIMES,
): Promise<MarkdownPage> {
  try {
    return await runWorker({ ...document, as: 'markdown' }, times.markdown, signal);
  } catch {
    signal.throwIfAborted();
  }
  try {
    return await runWorker({ ...document, as: 'plain' }, times.plain, signal);
  } catch (cause) {
    signal.throwIfAborted();
    const message =
      'The page is HTML that cannot be converted to text. Call again with raw set to true to read its source.';
    throw new WebError('web/unreadable', message, {}, cause);
  }
}

/** Waits for a free thread, or until the signal aborts. */
async function runWorker(job: HtmlJob, time: number, signal: AbortSignal): Promise<MarkdownPage> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([oneOfFew(() => runThread(job, time, signal)), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function runThread(job: HtmlJob, time: number, signal: AbortSignal): Promise<MarkdownPage> {
  const { startHtmlWorker } = await import('./html-worker.ts');
  signal.throwIfAborted();
  const either = AbortSignal.any([signal, AbortSignal.timeout(time)]);
  const worker = startHtmlWorker(job);
  const { promise, resolve, reject } = Promise.withResolvers<MarkdownPage>();
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', (code) => reject(new Error(`the worker ended with code ${code} and without a result`)));
  const stop = (): void => reject(either.reason);
  either.addEventListener('abort', stop, { once: true });
  try {
    return await promise;
  } finally {
    either.removeEventListener('abort', stop);
    // Ends the thread even if it runs an endless loop.
    await worker.terminate();
  }
}
