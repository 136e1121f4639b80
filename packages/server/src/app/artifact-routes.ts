// Routes of whole outputs: the artifacts that the records of a session name. Bytes are never sent with a type that a
// browser runs.

import { createRoute, z } from '@hono/zod-openapi';
import { readArtifactSize } from '../view/artifact-size.ts';
import type { CallId, Digest, Log, SessionId } from '@tidemark/log';
import { namedArtifacts } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import type { ByteRange } from './byte-range.ts';
import { readRange } from './byte-range.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { REFUSED, SESSION_PATH } from './route-parts.ts';
import { CALL_ID, DIGEST } from './values.ts';

/** Adds the routes of whole outputs. */
export function addArtifactRoutes(app: ServerApp, { log }: RoutePlace): void {
  app.openapi(READ_ARTIFACT, async (context) => {
    const { session, digest } = context.req.valid('param');
    if (!(await isNamed(log, session, digest))) throw notNamed(session, digest);
    return bytesAnswer(log, digest, context.req.header('range'));
  });
  app.openapi(READ_OUTPUT, async (context) => {
    const { session, call } = context.req.valid('param');
    const found = await outputOf(log, session, call);
    if ('text' in found) return new Response(found.text, { headers: { ...SAFE, 'content-type': TEXT } });
    return bytesAnswer(log, found.digest, context.req.header('range'));
  });
}

const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';

/** A page of a browser neither shows nor runs these bytes. */
const SAFE = { 'cache-control': 'no-store', 'content-disposition': 'attachment', 'content-security-policy': 'sandbox' };

/**
 * Returns the bytes of an artifact, or a range of them. All bytes are compared with the digest before the first one is
 * sent.
 */
async function bytesAnswer({ artifacts }: Log, digest: Digest, asked: string | undefined): Promise<Response> {
  const { size, isText } = await readArtifactSize(artifacts, digest);
  const range = readRange(asked, size);
  const headers = { ...SAFE, 'accept-ranges': 'bytes', 'content-type': isText ? TEXT : BYTES };
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  const { from, to } = range ?? { from: 0, to: size };
  const body = ReadableStream.from(cut(artifacts.get(digest), { from, to }));
  const length = { 'content-length': String(to - from) };
  if (range === undefined) return new Response(body, { headers: { ...headers, ...length } });
  const place = { 'content-range': `bytes ${from}-${to - 1}/${size}` };
  return new Response(body, { status: 206, headers: { ...headers, ...length, ...place } });
}

async function* cut(source: AsyncIterable<Uint8Array>, { from, to }: ByteRange): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of source) {
    const piece = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
    if (piece.length > 0) yield piece;
    at += chunk.length;
    if (at >= to) return;
  }
}

async function isNamed(log: Log, session: SessionId, digest: Digest): Promise<boolean> {
  for await (const record of log.read(session)) if (namedArtifacts(record).includes(digest)) return true;
  return false;
}

/** Returns the artifact with the whole output of a call, or its text if the record contains all of it. */
async function outputOf(
  log: Log,
  session: SessionId,
  call: CallId,
): Promise<{ readonly digest: Digest } | { readonly text: string }> {
  let found: { readonly digest: Digest } | { readonly text: string } | undefined;
  for await (const { kind, data } of log.read(session)) {
    if ((kind !== 'tool.returned' && kind !== 'tool.failed') || data.call !== call) continue;
    const { output, parts } = data;
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    found = output === undefined ? { text } : { digest: output };
  }
  if (found !== undefined) return found;
  throw new ServerError(
    'server/no-such-output',
    `session ${session} has no output of a call ${call}`,
    'read the records of the session: `tool.returned` has the id of the call',
  );
}

function notNamed(session: SessionId, digest: Digest): ServerError {
  return new ServerError(
    'server/no-such-output',
    `no record of session ${session} names the artifact ${digest}`,
    'read the records of the session for the digests that it names',
  );
}

const BINARY = { schema: z.string().meta({ format: 'binary' }) };

const ANSWERS = {
  200: { description: 'All bytes.', content: { [TEXT]: { schema: z.string() }, [BYTES]: BINARY } },
  206: { description: 'The range of the header `Range`.', content: { [BYTES]: BINARY } },
  416: { description: 'The range begins after the end.' },
  default: REFUSED,
};

const READ_ARTIFACT = createRoute({
  method: 'get',
  path: '/sessions/{session}/artifacts/{digest}',
  operationId: 'readArtifact',
  summary: 'Read the bytes of an artifact that a record of the session names',
  request: { params: SESSION_PATH.extend({ digest: DIGEST }) },
  responses: ANSWERS,
});

const READ_OUTPUT = createRoute({
  method: 'get',
  path: '/sessions/{session}/calls/{call}/output',
  operationId: 'readOutput',
  summary: 'Read the whole output of a call, whatever part the model was shown',
  request: { params: SESSION_PATH.extend({ call: CALL_ID }) },
  responses: ANSWERS,
});
