// Public exports of `inspector`: the page that shows sessions, and the data that it reads.

export type { InspectorPage } from './inspector-page.ts';
export { inspectorPage } from './inspector-page.ts';
export type { CallPages, Timeline, TimelineColumns } from './timeline.ts';
export { readTimeline, timelineOf } from './timeline.ts';
export type { RequestReader, RequestSource, SessionRequests } from './session-requests.ts';
export { createRequestReader } from './session-requests.ts';
export type {
  BlockColumns,
  BlockText,
  KnownBuckets,
  FoundBlocks,
  PreviousRequest,
  RequestColumns,
  RequestDifference,
  RequestStructure,
} from './request.ts';
export { listRequests, readBlockText, readRequest, searchRequest } from './request.ts';
export type { CarryCosts } from './carry-cost.ts';
export { readCarryCosts } from './carry-cost.ts';
export type { ReplacedRecords, ShownCheckpoint } from './checkpoint.ts';
export { readCheckpoints } from './checkpoint.ts';
