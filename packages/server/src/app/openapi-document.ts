// The OpenAPI document of the application, made from the schemas of the routes.

import { z } from '@hono/zod-openapi';
import type { ServerApp } from './route-parts.ts';
import { EVENT_DATA } from './schemas.ts';

/** Adds the path `/openapi.json`. All routes must have been added before. */
export function addOpenApiDocument(app: ServerApp, version: string): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  for (const [name, schema] of Object.entries(EVENT_DATA)) app.openAPIRegistry.register(name, schema);
  markOptionalFields(app.openAPIRegistry.definitions);
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Tidemark', version },
    security: [{ token: [] }],
  });
}

/**
 * Corrects two mistakes of the generator of the document. It recognises a field that can be absent by a
 * `safeParse(undefined)` that succeeds. This is wrong for `exactOptional`, which refuses the value `undefined`, and for
 * `custom` without a check, which accepts it. Objects do not use `safeParse` of their fields, so requests are checked as
 * before.
 */
function markOptionalFields(definitions: unknown): void {
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof z.ZodExactOptional) {
      const inner = value.unwrap();
      const safeParse = (input: unknown) => ({ success: input === undefined || z.safeParse(inner, input).success });
      Object.assign(value, { safeParse });
    }
    if (value instanceof z.ZodCustom) Object.assign(value, { safeParse: () => ({ success: false }) });
    for (const part of Object.values(value instanceof z.ZodType ? value.def : value)) visit(part);
  };
  visit(definitions);
}
