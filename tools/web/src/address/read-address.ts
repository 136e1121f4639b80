// Reads the address of a page from the arguments of a call or from a redirect.

import { WebError } from '../web-error.ts';

/** Maximum length of an address in characters. */
const LONGEST = 8_192;

/**
 * Returns the address as a URL. The URL parser converts every spelling of an IPv4 address (decimal, octal,
 * hexadecimal) to four decimal numbers. The part after `#` is removed, because it is never sent.
 *
 * @throws WebError `web/bad-address` for an address that `fetch` does not accept.
 */
export function readAddress(text: string, base?: URL): URL {
  const url = text.length > LONGEST ? null : URL.parse(text.trim(), base?.href);
  if (url === null) throw badAddress('it is not a complete URL, such as https://example.com/page');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw badAddress(`it has the scheme ${url.protocol.slice(0, -1)}, and only http and https can be fetched`);
  if (url.username !== '' || url.password !== '')
    throw badAddress('it contains a user name or a password, which are never sent');
  url.hash = '';
  return url;
}

function badAddress(reason: string): WebError {
  return new WebError('web/bad-address', `The address cannot be fetched: ${reason}.`);
}
