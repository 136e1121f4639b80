// Routes `GET /v1/models` and `GET /v1/models/:id`. Anthropic and OpenAI have the same paths, so the headers decide. If
// a request has `anthropic-version` or `x-api-key`, it gets Anthropic's form. Any other request gets OpenAI's form.

import { readClaudeName, normalModelName } from '@tidemark/model';
import type { Capabilities } from '@tidemark/model';
import type { Hono } from 'hono';
import { errorBody } from '../anthropic/refusal.ts';
import { modelsOf } from '../core/models.ts';
import { invalid, refuse } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { WireObject } from '../core/wire.ts';
import { openAIErrorBody, refuseOpenAI } from '../openai/format/refusal.ts';
import type { OpenAIRefusal } from '../openai/format/refusal.ts';
import { anthropicKeyOf, nextRequest, reject } from './route-context.ts';
import type { RouteBindings, RouteContext, RouteState } from './route-context.ts';
import { keyOf } from './openai.ts';

/** Adds the routes that list models. */
export function addModelRoutes(app: Hono<RouteBindings>, state: RouteState): void {
  app.get('/v1/models', (context) =>
    isAnthropic(context)
      ? respondAnthropic(state, context, () => pageOf(state, context))
      : respondOpenAI(state, context, () => ({
          object: 'list',
          data: modelsOf(settingsOf(state), 'openai').map(openAIModel),
        })),
  );
  // A model's name can contain slashes.
  app.get('/v1/models/:id{.+}', (context) =>
    isAnthropic(context)
      ? respondAnthropic(state, context, () => findClaude(state, context.req.param('id')))
      : respondOpenAI(state, context, () => findOpenAI(state, context.req.param('id'))),
  );
}

function isAnthropic(context: RouteContext): boolean {
  return ['anthropic-version', 'x-api-key'].some((name) => context.req.header(name) !== undefined);
}

function settingsOf({ core }: RouteState): RouteState['core']['settings'] {
  return core.settings;
}

function respondAnthropic(state: RouteState, context: RouteContext, read: () => WireObject | MessageRefusal): Response {
  const request = nextRequest(state);
  const headers = { 'content-type': 'application/json', 'request-id': request };
  const key = anthropicKeyOf(context);
  const outcome = typeof key === 'string' ? read() : key;
  if (!isRefusal(outcome)) return context.json(outcome, 200, { 'request-id': request });
  reject(state, context.req.path, outcome);
  return new Response(errorBody(outcome, request), { status: outcome.status, headers });
}

function respondOpenAI(state: RouteState, context: RouteContext, read: () => WireObject | OpenAIRefusal): Response {
  const request = nextRequest(state);
  const headers = { 'content-type': 'application/json', 'x-request-id': request };
  const key = keyOf(context.req.header('authorization'));
  const outcome = typeof key === 'string' ? read() : key;
  if (!isRefusal(outcome)) return context.json(outcome, 200, { 'x-request-id': request });
  reject(state, context.req.path, outcome);
  return new Response(openAIErrorBody(outcome), { status: outcome.status, headers });
}

function isRefusal<Refusal extends MessageRefusal>(value: WireObject | Refusal): value is Refusal {
  return 'outcome' in value && value['outcome'] === 'refused';
}

// Anthropic's form (SDK: `ModelInfo`, `PageParams`).

/**
 * Returns a page of Claude models. `limit` is the number of models in the page (1 to 1,000, default 20). `after_id`
 * names the model before the page, and `before_id` the model after it. All models count as active, because the catalog
 * has no lifecycle.
 */
function pageOf(state: RouteState, context: RouteContext): WireObject | MessageRefusal {
  const { after_id: after, before_id: before, limit: asked = '20' } = context.req.query();
  const limit = /^\d{1,6}$/.test(asked) ? Number(asked) : Number.NaN;
  if (!(limit >= 1 && limit <= 1000)) return invalid('limit: Input should be a valid integer from 1 to 1000');
  const active = context.req.queries('lifecycle[]') ?? context.req.queries('lifecycle') ?? ['active'];
  const models = active.includes('active') ? modelsOf(settingsOf(state), 'anthropic').map(claudeModel) : [];
  const at = (id: string): number => models.findIndex((model) => model.id === id);
  const unknown = [after, before].find((id) => id !== undefined && at(id) === -1);
  if (unknown !== undefined) return invalid(`after_id, before_id: no model has the id '${unknown}'`);
  const start = after === undefined ? 0 : at(after) + 1;
  const end = before === undefined ? models.length : at(before);
  const page =
    before === undefined ? models.slice(start, start + limit) : models.slice(Math.max(start, end - limit), end);
  return {
    data: page,
    has_more: page.length < end - start,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function findClaude(state: RouteState, id: string): WireObject | MessageRefusal {
  const row = settingsOf(state).capabilities(id);
  return row?.provider === 'anthropic' ? claudeModel(row) : refuse(404, 'not_found_error', `model: ${id}`);
}

/**
 * Returns a model in Anthropic's form. The catalog has no release dates, so the release date is 1970-01-01, as the
 * SDK's documentation allows. `capabilities` is `null`, because the catalog does not have all of them.
 */
function claudeModel({ model, inputLimit, outputLimit }: Capabilities): WireObject & { readonly id: string } {
  return {
    type: 'model',
    id: model,
    display_name: displayName(model),
    line: readClaudeName(normalModelName(model))?.family ?? null,
    lifecycle: 'active',
    created_at: '1970-01-01T00:00:00Z',
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: inputLimit,
    max_tokens: outputLimit,
    capabilities: null,
  };
}

/** Returns a name for people: `claude-opus-4-5-20251101` becomes `Claude Opus 4.5`. */
function displayName(model: string): string {
  return model
    .replace(/-\d{8}$/, '')
    .replace(/(?<=\d)-(?=\d)/g, '.')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

// The next functions describe a model in OpenAI's form (`Model` in the SDK).

function findOpenAI(state: RouteState, id: string): WireObject | OpenAIRefusal {
  const row = settingsOf(state).capabilities(id);
  if (row?.provider === 'openai') return { ...openAIModel(row), id };
  const about = { param: 'model', code: 'model_not_found' };
  return refuseOpenAI(404, `The model '${id}' does not exist`, about);
}

/** Returns a model in OpenAI's form. The catalog has no release dates, so `created` is 0. */
function openAIModel({ model }: Capabilities): WireObject {
  return { id: model, object: 'model', created: 0, owned_by: 'openai' };
}
