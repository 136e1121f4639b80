// Public exports of the memory store.

export type { SessionData, MemoryBackend } from './memory-backend.ts';
export { createMemoryBackend } from './memory-backend.ts';
export { createMemoryStore } from './store.ts';
