// Public exports of `inspector`: the page that shows sessions, and the data that it reads.

export type { InspectorPage } from './inspector-page.ts';
export { inspectorPage } from './inspector-page.ts';
export type { CallPages, Timeline, TimelineColumns } from './timeline.ts';
export { readTimeline, timelineOf } from './timeline.ts';
