// Tests the option `web` through an agent: tools, rules about hosts, masking, and what the model and the log receive.
// The pages come from a server on loopback that is allowed explicitly.

import { createServer } from 'node:http';
import type { Server } from 'node:http';

import type { Asker, Rule } from '@tidemark/agent';
import { callId } from '@tidemark/log';
import type { ScriptedAnswer, ScriptedProvider } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';

const MODEL = 'claude-sonnet-5-5';
const KEY = 'sk-of-the-service-0123456789';

let server: Server;
let port = 0;
let requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${port}/` }).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(`the page ${request.url ?? ''} with ${KEY}`);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(
  () =>
    new Promise((resolve) => {
      server.close(resolve);
    }),
);

function calling(name: string, input: object): ScriptedAnswer {
  return { parts: [{ type: 'call', call: callId(`call_${name}`), name, arguments: JSON.stringify(input) }] };
}

interface Played {
  /** Decisions on calls, as `allowed allow fetch "127.0.0.1"`. */
  readonly decided: readonly string[];
  /** Result of the call. */
  readonly result: string;
  readonly provider: ScriptedProvider;
  /** All stored events as one text. */
  readonly stored: string;
}

async function play(call: ScriptedAnswer, options: Partial<AgentOptions>): Promise<Played> {
  requests = [];
  const provider = createScriptedProvider({ answers: [call, { parts: [{ type: 'text', text: 'done' }] }] });
  const agent = createAgent({ model: MODEL, provider, ...options });
  const session = await agent.open();
  const decided: string[] = [];
  let result = '';
  let stored = '';
  for await (const event of session.prompt('go')) {
    if (event.type !== 'recorded') continue;
    const { kind, data } = event.record;
    stored += JSON.stringify(event.record);
    if (kind === 'permission.decided') decided.push(`${data.decision} ${data.rule}`);
    if (kind === 'tool.returned' || kind === 'tool.failed')
      result = data.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join('');
  }
  await agent.close();
  return { decided, result, provider, stored };
}

const fetching = (path = '/', host = `127.0.0.1:${port}`): ScriptedAnswer =>
  calling('fetch', { url: `http://${host}${path}` });
/** The option `web` of most tests. */
const web = (): Pick<AgentOptions, 'web'> => ({ web: { allowPrivate: [`127.0.0.1:${port}`] } });

const allowing = (host: string, ...others: readonly Rule[]): Partial<AgentOptions> => ({
  ...web(),
  permissions: { mode: 'ask', rules: [{ decision: 'allow', tool: 'fetch', hosts: [host] }, ...others] },
});

test('an agent has no tool for the web unless `web` is set', async () => {
  const { provider, result } = await play(fetching(), {});
  expect(JSON.stringify(provider.sent)).not.toContain('"fetch"');
  expect(result).toContain('There is no tool named "fetch"');
});

test('a rule about a host allows `fetch` for this host only', async () => {
  const allowed = await play(fetching('/a'), allowing('127.0.0.1'));
  expect(allowed.decided).toEqual(['allowed allow fetch "127.0.0.1"']);
  expect(allowed.result).toContain('the page /a');
  const denied = await play(fetching('/a', `localhost:${port}`), allowing('127.0.0.1'));
  expect(denied.decided).toEqual(['denied ask/network']);
  const narrowed = await play(
    fetching('/a'),
    allowing('127.0.0.1', { decision: 'deny', tool: 'fetch', hosts: ['127.0.0.1'] }),
  );
  expect(narrowed.decided).toEqual(['denied deny fetch "127.0.0.1"']);
  expect(requests).toEqual([]);
});

test('a redirect to a host that a rule does not allow is returned, and the host receives nothing', async () => {
  const { result } = await play(fetching('/away'), allowing('127.0.0.1'));
  expect(result).toContain(`which was not fetched: http://localhost:${port}/.`);
  expect(requests).toEqual(['/away']);
});

test.each([
  ['read-only', 'denied read-only/network', 0],
  ['ask', 'allowed ask/network', 1],
  ['auto', 'allowed auto/network/unsandboxed', 1],
] as const)('mode %s asks or denies as for any call with the effect `network`', async (mode, verdict, asked) => {
  let questions = 0;
  const ask: Asker = async () => {
    questions += 1;
    return 'allowed';
  };
  const { decided } = await play(fetching(), { ...web(), permissions: { mode, ask } });
  expect([decided, questions]).toEqual([[verdict], asked]);
});

test('a secret in a page reaches neither the model nor the log, and a secret in a URL leaves no machine', async () => {
  const host = { environment: { SERVICE_API_KEY: KEY } };
  const page = await play(fetching(), { ...allowing('127.0.0.1'), host });
  expect(page.result).toContain('the page / with');
  expect(
    page.stored + JSON.stringify(page.provider.sent.map(({ body }) => new TextDecoder().decode(body))),
  ).not.toContain(KEY);
  const sent = await play(fetching(`/?q=${KEY}`), { ...allowing('127.0.0.1'), host });
  expect(sent.result).toContain('contains a secret of this session, so nothing was sent');
  expect(requests).toEqual([]);
});

test('an invalid host in `web.allowPrivate` is refused when the agent is created', () => {
  const create = (): unknown =>
    createAgent({
      model: MODEL,
      provider: createScriptedProvider({ answers: [] }),
      web: { allowPrivate: ['http://a/'] },
    });
  expect(create).toThrow(
    expect.objectContaining({
      code: 'kit/bad-options',
      message: expect.stringContaining('web.allowPrivate: "http://a/" is not a host'),
    }),
  );
});

test('the key of a search service is masked', async () => {
  const search = {
    name: 'Search',
    host: 'search.example',
    secrets: [KEY],
    search: async () => ({ results: [{ title: `title ${KEY}`, url: 'https://example.com/', snippet: '' }] }),
  };
  const rules: readonly Rule[] = [{ decision: 'allow', tool: 'web_search', hosts: ['search.example'] }];
  const { result, stored } = await play(calling('web_search', { query: 'tide' }), {
    web: { search },
    permissions: { mode: 'ask', rules },
  });
  expect(result).toContain('1. title ');
  expect(stored).not.toContain(KEY);
});
