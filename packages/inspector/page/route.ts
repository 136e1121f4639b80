// Place in the page, as the fragment of its address. A link to a place can be copied.

import { computed, signal } from '@preact/signals';

const fragment = signal(location.hash);
addEventListener('hashchange', () => {
  fragment.value = location.hash;
});

/** Place in the page: the parts of the path, and the values after `?`. */
export interface Route {
  readonly path: readonly string[];
  readonly values: URLSearchParams;
}

/** Present place. */
export const route = computed<Route>(() => {
  const [path = '', query = ''] = fragment.value.replace(/^#\/?/, '').split('?');
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent),
    values: new URLSearchParams(query),
  };
});

/** Returns the address of a place. */
export function linkTo(path: readonly string[], values: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(values).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

/** Changes the address to a place that is already shown. The history of the browser gets no entry. */
export function keepAddress(address: string): void {
  history.replaceState(undefined, '', address);
  fragment.value = address;
}
