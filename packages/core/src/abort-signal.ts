// Type of an abort signal, for the interfaces of packages that have the types of neither Node nor the DOM.

/** Subset of `AbortSignal` that ports use. Every `AbortSignal` satisfies it. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
