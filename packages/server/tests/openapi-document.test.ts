// Tests the OpenAPI document: clients are generated from it.

import { expect, test } from 'vitest';
import { openTestServer } from './test-server.ts';

test('the document requires the fields that are always present, and no field that can be absent', async () => {
  await using place = await openTestServer();
  const { schemas } = (await place.send('GET', '/openapi.json')).body.components;
  expect(schemas.NewSession.required).toBeUndefined();
  expect(schemas.NewSession.properties.title).toMatchObject({ type: 'string' });
  expect(schemas.NewSession.properties.mode).toEqual({ $ref: '#/components/schemas/Mode' });
  expect(schemas.Mode.type).toBe('string');
  expect(schemas.Prompt.required).toEqual(['text']);
  expect(schemas.WaitingQuestion.required).toEqual(['id', 'question']);
  expect(schemas.Session.required).toContain('length');
  expect(schemas.Session.required).not.toContain('title');
  expect(schemas.Session.properties.turn.required).toEqual(['open']);
  expect(schemas.QuestionAnswer.anyOf.map(({ required }: { required: unknown }) => required)).toEqual([
    ['decision'],
    ['decision'],
    ['decision'],
  ]);
});

test('the document describes the events of a session', async () => {
  await using place = await openTestServer();
  const { schemas } = (await place.send('GET', '/openapi.json')).body.components;
  expect(schemas.LiveState.required).toEqual(['length', 'open', 'text', 'reasoning', 'outputs', 'questions']);
  expect(schemas.PassingEvent.required).toEqual(['type']);
  expect(schemas.QuestionEvent.anyOf).toHaveLength(2);
});

test('a parameter is required if a request without it is refused', async () => {
  await using place = await openTestServer();
  const { paths } = (await place.send('GET', '/openapi.json')).body;
  const { parameters } = paths['/sessions/{session}/rewind'].get;
  expect(parameters.map(({ name, required }: { name: string; required: boolean }) => [name, required])).toEqual([
    ['session', true],
    ['beforePrompt', true],
  ]);
  const events = paths['/sessions/{session}/events'].get.parameters;
  expect(events.find(({ name }: { name: string }) => name === 'last-event-id')).toMatchObject({
    in: 'header',
    required: false,
    schema: { type: 'integer', minimum: 0 },
  });
});

test('every reference of the document leads to a component', async () => {
  await using place = await openTestServer();
  const { body } = await place.send('GET', '/openapi.json');
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to);
  const components = Object.keys(body.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter((to) => !components.includes(to))).toEqual([]);
});

test('the document contains no number of a query that can be null', async () => {
  await using place = await openTestServer();
  const { parameters } = (await place.send('GET', '/openapi.json')).body.paths['/sessions'].get;
  expect(parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 0, default: 100 },
  });
});

test('a field that can be absent cannot be null', async () => {
  await using place = await openTestServer();
  expect(await place.send('POST', '/sessions', { title: null })).toMatchObject({
    status: 400,
    body: { error: { code: 'server/bad-request' } },
  });
});
