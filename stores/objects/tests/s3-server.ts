// A real S3 server on loopback, behind a proxy that can disturb single answers.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Options } from '../src/s3-options.ts';

/** Disturbs one request. Returns true if it also answered the request. */
export type Disturbance = (call: Call) => boolean;

/** A request to the proxy, and the changes that the proxy makes to the answer of the server. */
export interface Call {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Changes the body of the answer. Returns `undefined` to close the connection after the bytes. */
  change: (body: Buffer) => { readonly body: Buffer; readonly length: number };
}

export interface S3Server {
  readonly options: S3Options;
  /** Methods and paths of all requests since the start, with their headers. */
  readonly calls: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Disturbs each of the next requests that match, one disturbance for each. */
  disturb(method: string, ...disturbances: readonly Disturbance[]): void;
  /** Forgets the disturbances that no request has met. */
  calm(): void;
  close(): Promise<void>;
}

export const BUCKET = 'sessions';

/** Starts a server with one empty bucket, and sets the variables from which the SDK takes its credentials. */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-s3-'));
  const child = fork(new URL('run-s3rver.ts', import.meta.url), [directory, BUCKET], {
    execArgv: ['--openssl-legacy-provider'],
  });
  const [started]: readonly unknown[] = await once(child, 'message');
  const port = portOf(started);
  const restore = setCredentials();
  const calls: S3Server['calls'] = [];
  const waiting: { readonly method: string; readonly disturbance: Disturbance }[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    calls.push({ method, path, headers });
    const index = waiting.findIndex((each) => each.method === method);
    const [next] = index === -1 ? [] : waiting.splice(index, 1);
    const call: Call = { incoming, outgoing, change: (body) => ({ body, length: body.length }) };
    if (next?.disturbance(call) !== true) forward(call, port);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    options: {
      bucket: BUCKET,
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${portOf(proxy.address())}`,
      forcePathStyle: true,
    },
    calls,
    disturb: (method, ...disturbances) => waiting.push(...disturbances.map((disturbance) => ({ method, disturbance }))),
    calm: () => void waiting.splice(0),
    async close() {
      restore();
      proxy.closeAllConnections();
      proxy.close();
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address && typeof address.port === 'number') {
    return address.port;
  }
  throw new Error('not listening on a port');
}

/** Sends a request to the server and its answer, with the changes of the call, to the client. */
function forward(call: Call, port: number): void {
  const { incoming, outgoing } = call;
  const { method, url: path, headers } = incoming;
  const upstream = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  upstream.on('error', () => outgoing.destroy());
  upstream.on('response', (answer) => {
    const received: Buffer[] = [];
    answer.on('data', (piece: Buffer) => received.push(piece));
    answer.on('end', () => sendAnswer(call, answer, Buffer.concat(received)));
  });
  incoming.pipe(upstream);
}

function sendAnswer({ incoming, outgoing, change }: Call, answer: IncomingMessage, received: Buffer): void {
  const { body, length } = change(received);
  const isEmpty = incoming.method === 'HEAD' || answer.statusCode === 204;
  outgoing.writeHead(answer.statusCode ?? 500, {
    ...answer.headers,
    ...(isEmpty ? {} : { 'content-length': `${length}` }),
  });
  if (isEmpty || body.length === length) outgoing.end(body);
  else outgoing.write(body, () => outgoing.destroy());
}

/** Sets the credentials that the server knows. Returns a function that restores the variables. */
function setCredentials(): () => void {
  const wanted = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_EC2_METADATA_DISABLED: 'true' };
  const before = Object.keys(wanted).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, wanted);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/** Answers with a status and an error of S3. */
export function refuse(status: number, code: string, message = 'disturbed by the test'): Disturbance {
  return ({ incoming, outgoing }) => {
    incoming.resume();
    outgoing.writeHead(status, { 'content-type': 'application/xml' });
    outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
    return true;
  };
}

/** Closes the connection without an answer. */
export const hangUp: Disturbance = ({ incoming }) => {
  incoming.socket.destroy();
  return true;
};

/** Never answers. */
export const stall: Disturbance = ({ incoming }) => {
  incoming.resume();
  return true;
};

/** Closes the connection after so many bytes of the body. */
export function cutAfter(bytes: number): Disturbance {
  return (call) => {
    call.change = (body) => ({ body: body.subarray(0, bytes), length: body.length });
    return false;
  };
}

/** Sends a shorter body that looks complete, as a server that lost the end of an object. */
export function truncateTo(bytes: number): Disturbance {
  return (call) => {
    call.change = (body) => ({ body: body.subarray(0, bytes), length: Math.min(bytes, body.length) });
    return false;
  };
}

/** Changes one bit of the last byte of the body. */
export const damage: Disturbance = (call) => {
  call.change = (body) => {
    const changed = Buffer.from(body);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    return { body: changed, length: changed.length };
  };
  return false;
};
