// The face of the memory store.

export type { SessionData, MemoryBackend } from './shelf.ts';
export { createShelf } from './shelf.ts';
export { createMemoryStore } from './store.ts';
