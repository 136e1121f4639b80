// The OpenAPI document of the application, made from the routes. zod converts their schemas.

import type { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import type { ServerApp } from './route-parts.ts';
import { EVENT_DATA } from './schemas.ts';

/** Adds the path `/openapi.json`. All routes must have been added before. */
export function addOpenApiDocument(app: ServerApp, version: string): void {
  const components = createComponents();
  for (const schema of EVENT_DATA) components.schemaOf(schema);
  const paths = new Map<string, Record<string, unknown>>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { route } = definition;
    paths.set(route.path, { ...paths.get(route.path), [route.method]: operationOf(route, components) });
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Tidemark', version },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } }, schemas: components.all() },
    paths: Object.fromEntries(paths),
  };
  app.get('/openapi.json', (context) => context.json(document));
}

type RouteConfig = Parameters<typeof createRoute>[0];
type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Schemas of the document. A schema with an id is a component. */
interface Components {
  /** Returns the JSON Schema of a value as a client sends it, or a reference to it. */
  schemaOf(schema: z.ZodType): JsonSchema;
  /** Returns the components that were used, by their ids. */
  all(): Readonly<Record<string, JsonSchema>>;
}

function createComponents(): Components {
  const all = new Map<string, JsonSchema>();
  return {
    schemaOf(schema) {
      // Inside an object, a schema with an id is converted to a reference too.
      const { properties, $defs = {} } = convert(z.object({ schema }));
      for (const [id, component] of Object.entries($defs)) all.set(id, component);
      const { schema: converted } = properties ?? {};
      return typeof converted === 'object' ? converted : {};
    },
    all: () => Object.fromEntries(all),
  };
}

function convert(schema: z.ZodType): JsonSchema {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    // Types without a check, which are described by their metadata.
    unrepresentable: 'any',
    override({ jsonSchema, zodSchema }) {
      delete jsonSchema.id;
      // zod omits the default of a number in a query, because the query contains it as text.
      if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  const parsed: JsonSchema = JSON.parse(JSON.stringify(converted), (key, value) =>
    key === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : value,
  );
  return parsed;
}

function operationOf(
  { operationId, summary, description, security, request, responses }: RouteConfig,
  components: Components,
): object {
  const { params, query, headers, body } = request ?? {};
  return {
    operationId,
    summary,
    description,
    security,
    parameters: [
      ...parametersOf('path', params, components),
      ...parametersOf('query', query, components),
      ...parametersOf('header', headers, components),
    ],
    ...(body !== undefined && {
      requestBody: { required: body.required, content: contentOf(body.content, components) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, answer]) => [
        status,
        'content' in answer ? { ...answer, content: contentOf(answer.content ?? {}, components) } : answer,
      ]),
    ),
  };
}

function parametersOf(place: 'path' | 'query' | 'header', fields: unknown, components: Components): readonly object[] {
  if (!(fields instanceof z.ZodObject)) return [];
  const { required = [] } = convert(fields);
  return Object.entries(fields.shape).map(([name, field]) => {
    const { description, ...schema } = components.schemaOf(field);
    return { name, in: place, description, required: required.includes(name), schema };
  });
}

function contentOf(content: object, components: Components): object {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => [
      type,
      { schema: schema instanceof z.ZodType ? components.schemaOf(schema) : schema },
    ]),
  );
}
