// Public exports of `inspector`: the page that shows sessions.

export type { InspectorPage } from './inspector-page.ts';
export { inspectorPage } from './inspector-page.ts';
