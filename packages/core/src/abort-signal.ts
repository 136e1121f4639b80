// The abort signal of ports whose packages know neither Node nor the DOM.

/** The part of `AbortSignal` that ports use. Every `AbortSignal` is one. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
