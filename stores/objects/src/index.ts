// Public exports of the object store.

export type { CollectObjectsOptions, CollectedObjects, ObjectTally } from './collect-objects.ts';
export { collectObjects } from './collect-objects.ts';
export { openFolderObjects } from './folder-objects.ts';
export { createObjectArtifacts } from './object-artifacts.ts';
export type { SnapshotBytes } from './object-snapshots.ts';
export { createObjectSnapshots } from './object-snapshots.ts';
export type { ObjectEntry, ObjectFile, ObjectStore } from './object-store.ts';
export type { ObjectUndoStore } from './object-undo.ts';
export { createObjectUndo } from './object-undo.ts';
export { openS3Objects } from './s3-objects.ts';
export type { S3Options } from './s3-options.ts';
