// Tests for `GET /v1/models` and `GET /v1/models/:id`, with the unmodified official SDKs and the shipped catalog.

import Anthropic from '@anthropic-ai/sdk';
import { defaultCatalog } from '@tidemark/model';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { createSimulator } from '../src/index.ts';
import type { SimulatorOptions } from '../src/index.ts';
import { simulate } from './conversation.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function start(options: SimulatorOptions = {}): Promise<string> {
  const server = await createSimulator(options).listen();
  open.push(server);
  return server.url;
}

const anthropic = (url: string): Anthropic => new Anthropic({ apiKey: 'test-key', baseURL: url, maxRetries: 0 });
const openai = (url: string): OpenAI => new OpenAI({ apiKey: 'test-key', baseURL: `${url}/v1`, maxRetries: 0 });

const rows = (provider: string): readonly string[] =>
  defaultCatalog().rows.flatMap((row) => (row.provider === provider ? [row.model] : []));

describe("`GET /v1/models` in Anthropic's form", () => {
  it('lists the Claude models of the catalog over all pages', async () => {
    const client = anthropic(await start());
    const seen: string[] = [];
    for await (const model of client.models.list({ limit: 5 })) seen.push(model.id);
    expect(seen).toEqual(rows('anthropic'));
  });

  it('reports the limits of a model from the catalog', async () => {
    const page = await anthropic(await start()).models.list();
    expect(page.data.length).toBe(20);
    expect(page.has_more).toBe(true);
    expect(page.data.find((model) => model.id === 'claude-opus-5-5')).toEqual({
      type: 'model',
      id: 'claude-opus-5-5',
      display_name: 'Claude Opus 5.5',
      line: 'opus',
      lifecycle: 'active',
      created_at: '1970-01-01T00:00:00Z',
      deprecated_at: null,
      retires_at: null,
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities: null,
    });
  });

  it('returns the page before a model, and the rest after one', async () => {
    const client = anthropic(await start());
    const all = rows('anthropic');
    const before = await client.models.list({ before_id: all[5] ?? '', limit: 2 });
    expect([before.data.map((model) => model.id), before.has_more]).toEqual([all.slice(3, 5), true]);
    const rest = await client.models.list({ after_id: all.at(-2) ?? '', limit: 1000 });
    expect([rest.data.map((model) => model.id), rest.has_more, rest.last_id]).toEqual([
      all.slice(-1),
      false,
      all.at(-1),
    ]);
  });

  it('has no model that is deprecated', async () => {
    expect((await anthropic(await start()).models.list({ lifecycle: ['deprecated'] })).data).toEqual([]);
  });

  it.each([
    ['limit=0', 400],
    ['limit=1001', 400],
    ['limit=x', 400],
    ['after_id=claude-none', 400],
    ['before_id=gpt-5', 400],
  ])('refuses the query %s', async (query, status) => {
    const reply = await fetch(`${await start()}/v1/models?${query}`, { headers: { 'x-api-key': 'k' } });
    expect([reply.status, await reply.json()]).toMatchObject([
      status,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ]);
  });

  it('returns one model, also by an alias', async () => {
    const client = anthropic(await start());
    expect((await client.models.retrieve('claude-sonnet-5')).display_name).toBe('Claude Sonnet 5');
    expect(await client.models.retrieve('claude-opus-4-5')).toMatchObject({
      id: 'claude-opus-4-5-20251101',
      display_name: 'Claude Opus 4.5',
    });
  });

  it('refuses an unknown model, and a model of another provider, with 404', async () => {
    const client = anthropic(await start());
    for (const id of ['claude-none-9', 'gpt-5', '../messages']) {
      await expect(client.models.retrieve(id)).rejects.toMatchObject({
        status: 404,
        error: { error: { type: 'not_found_error' } },
      });
    }
  });

  it('refuses a request without a key', async () => {
    const reply = await fetch(`${await start()}/v1/models`, { headers: { 'anthropic-version': '2023-06-01' } });
    expect([reply.status, await reply.json()]).toMatchObject([401, { error: { type: 'authentication_error' } }]);
  });
});

describe("`GET /v1/models` in OpenAI's form", () => {
  it('lists the OpenAI models of the catalog', async () => {
    const seen: unknown[] = [];
    for await (const model of openai(await start()).models.list()) seen.push(model);
    expect(seen).toEqual(rows('openai').map((id) => ({ id, object: 'model', created: 0, owned_by: 'openai' })));
  });

  it('returns one model, and refuses an unknown one with 404', async () => {
    const client = openai(await start());
    expect(await client.models.retrieve('gpt-5.5')).toEqual({
      id: 'gpt-5.5',
      object: 'model',
      created: 0,
      owned_by: 'openai',
    });
    await expect(client.models.retrieve('claude-sonnet-5')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it('refuses a request without a key', async () => {
    const reply = await fetch(`${await start()}/v1/models`);
    expect([reply.status, await reply.json()]).toMatchObject([401, { error: { type: 'invalid_request_error' } }]);
  });
});

it('`GET /v1/models` lists the names of the option `models`, as far as the simulator knows them', async () => {
  const server = await simulate({ models: ['test-model', 'old-model', 'test-model', 'stranger'] }).listen();
  open.push(server);
  const page = await anthropic(server.url).models.list();
  expect(page.data.map((model) => model.id)).toEqual(['test-model', 'old-model']);
});
