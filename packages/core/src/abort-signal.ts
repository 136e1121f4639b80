// Type of an abort signal. It is for packages that do not use the types of Node.js and do not use the types of the DOM.

/** Subset of `AbortSignal` that the interfaces of these packages use. Every `AbortSignal` satisfies it. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
