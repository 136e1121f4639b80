// Route of the inspector: the page that a one-time link opens. It contains no data, so it needs no token.

import { inspectorPage } from '@tidemark/inspector';
import type { ServerApp } from './route-parts.ts';

/** Adds the route of the page. It is not part of the API, so the OpenAPI document does not contain it. */
export function addPageRoutes(app: ServerApp): void {
  app.get('/', async (context) => {
    const { html, policy } = await inspectorPage();
    context.header('content-security-policy', policy);
    context.header('referrer-policy', 'no-referrer');
    context.header('cache-control', 'no-store');
    return context.html(html);
  });
}
