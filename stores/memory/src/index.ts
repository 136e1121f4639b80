// The face of the memory store.

export type { Room, Shelf } from './shelf.ts';
export { createShelf } from './shelf.ts';
export { createMemoryStore } from './store.ts';
