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
  PreviousRequest,
  RequestColumns,
  RequestDifference,
  RequestStructure,
} from './request.ts';
export type { FoundBlocks } from './find-texts.ts';
export { listRequests, readBlockText, readRequest, searchRequest } from './request.ts';
export type { CarryCosts } from './carry-cost.ts';
export { readCarryCosts } from './carry-cost.ts';
export type { ReplacedRecords, ShownCheckpoint } from './checkpoint.ts';
export { readCheckpoints } from './checkpoint.ts';
export type { ListedSession } from './listed-session.ts';
export { listedSession } from './listed-session.ts';
export type { SessionFileSources } from './file/session-file.ts';
export { sessionFile } from './file/session-file.ts';
export type { MaskText } from './file/file-requests.ts';
export type { WhatIf, WhatIfCase } from './what-if/what-if.ts';
export { readWhatIf } from './what-if/what-if.ts';
