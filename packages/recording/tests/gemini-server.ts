// Answers requests of the Gemini API with scripted answers. The simulator does not speak this wire.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

/** Part of a message of the Gemini API. */
export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: object };
  readonly functionResponse?: { readonly name: string; readonly response?: object };
}

/** Request as the script of the answers sees it. */
export interface GeminiRequest {
  readonly model: string;
  readonly contents: readonly { readonly role: string; readonly parts: readonly GeminiPart[] }[];
  readonly tools: readonly string[];
}

/** Scripted answer: parts, an error status, or an answer that never ends. */
export interface GeminiAnswer {
  readonly parts?: readonly GeminiPart[];
  readonly error?: { readonly status: number; readonly message: string };
  readonly isEndless?: boolean;
}

/** Server on loopback. */
export interface GeminiServer {
  readonly url: string;
  close(): void;
}

/**
 * Starts a server that answers each request with `plan`. The longest prefix that a request shares with an earlier one is
 * reported as cached.
 */
export async function startGeminiServer(plan: (request: GeminiRequest) => GeminiAnswer): Promise<GeminiServer> {
  const earlier: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const [, model = '', method = ''] = /models\/([^:]+):(\w+)/.exec(request.url ?? '') ?? [];
      const sent = JSON.stringify([model, body['systemInstruction'], body['tools'], body['contents']]);
      if (method === 'countTokens') return sendJson(response, 200, { totalTokens: tokensIn(sent) });
      const asked = requestOf(model, body);
      const answer = plan(asked);
      if (answer.error !== undefined)
        return sendJson(response, answer.error.status, { error: { code: answer.error.status, ...answer.error } });
      const shared = Math.max(0, ...earlier.map((one) => sharedLength(one, sent)));
      earlier.push(sent);
      const chunk = chunkOf(answer.parts ?? [], model, { sent, shared });
      if (method === 'generateContent') return sendJson(response, 200, chunk);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (answer.isEndless === true)
        return void response.write(
          event({ ...chunk, candidates: [{ index: 0, content: { role: 'model', parts: answer.parts } }] }),
        );
      response.end(event(chunk));
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Body {
  readonly systemInstruction?: unknown;
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly contents?: GeminiRequest['contents'];
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return JSON.parse(text === '' ? '{}' : text);
}

function requestOf(model: string, { contents = [], tools = [] }: Body): GeminiRequest {
  return {
    model,
    contents,
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
  };
}

function chunkOf(
  parts: readonly GeminiPart[],
  model: string,
  { sent, shared }: { sent: string; shared: number },
): object {
  const prompt = tokensIn(sent);
  const cached = shared / sent.length > 0.5 ? tokensIn(sent.slice(0, shared)) : 0;
  const thoughts = tokensIn(JSON.stringify(parts.filter(({ thought }) => thought === true)));
  const output = tokensIn(JSON.stringify(parts.filter(({ thought }) => thought !== true)));
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: prompt,
      ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
      candidatesTokenCount: output,
      ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
      totalTokenCount: prompt + output + thoughts,
    },
    modelVersion: model,
  };
}

function tokensIn(text: string): number {
  return Math.floor(text.length / 4);
}

function sharedLength(before: string, after: string): number {
  let length = 0;
  while (length < before.length && before[length] === after[length]) length += 1;
  return length;
}

function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
