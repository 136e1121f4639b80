// One `cache_control` object: its only type is `ephemeral`, its lifetimes are `5m` (default) and `1h` (§1.1).

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { MarkerTtl } from './request.ts';
import { given, isList, isObject } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

/** What a `cache_control` field says: a lifetime, nothing, or a refusal. `path` names the object that carries it. */
export function readMarker(fields: WireObject, path: string): MarkerTtl | undefined | MessageRefusal {
  const control = fields['cache_control'];
  if (!given(control)) return undefined;
  const at = path === '' ? 'cache_control' : `${path}.cache_control`;
  if (!isObject(control)) return invalid(`${at}: Input should be a valid dictionary`);
  if (control['type'] !== 'ephemeral') return invalid(`${at}.type: Input should be 'ephemeral'`);
  const extra = Object.keys(control).find((key) => key !== 'type' && key !== 'ttl');
  if (extra !== undefined) return invalid(`${at}.${extra}: Extra inputs are not permitted`);
  const ttl = control['ttl'];
  if (!given(ttl) || ttl === '5m') return '5m';
  return ttl === '1h' ? '1h' : invalid(`${at}.ttl: Input should be '5m' or '1h'`);
}

/**
 * The marker of a block, or of a part nested in its `content` (a `tool_result` can carry one there; it is taken as a
 * marker on the whole block).
 */
export function readBlockMarker(fields: WireObject, path: string): MarkerTtl | undefined | MessageRefusal {
  const own = readMarker(fields, path);
  if (own !== undefined || !isList(fields['content'])) return own;
  for (const [i, part] of fields['content'].entries()) {
    const nested = isObject(part) ? readMarker(part, `${path}.content.${i}`) : undefined;
    if (nested !== undefined) return nested;
  }
  return undefined;
}
