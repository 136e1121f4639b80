// What commands say, as parts: short once a session has said much.

import type { ContentPart } from '@tidemark/log';
import type { ContentSpec, TextSpec } from './commands.ts';
import type { Driver } from './driver.ts';
import { IMAGES, words } from './made-content.ts';

/** The parts of a prompt or a result. */
export function contentOf(driver: Driver, specs: readonly ContentSpec[]): readonly ContentPart[] {
  return specs.map((spec): ContentPart => {
    if (spec.kind === 'file') return { type: 'file', path: `src/file-${driver.nonce++}.ts` };
    if (spec.kind !== 'image') return { type: 'text', text: textOf(driver, spec) };
    const image = IMAGES[spec.image % IMAGES.length];
    if (image === undefined || driver.said > ROOM) return { type: 'text', text: `no image ${driver.nonce++}` };
    driver.said += 6_000;
    return image.part;
  });
}

/** Characters that a session may hold before its texts become short: about half of the smallest window. */
const ROOM = 250_000;

/** One text, told apart from every other by its number; the odd ones that are blank stay as they are. */
export function textOf(driver: Driver, spec: TextSpec): string {
  if (spec.kind === 'odd') return spec.text.trim() === '' ? spec.text : `${spec.text} ${driver.nonce++}`;
  const size = driver.said > ROOM ? 60 : spec.size;
  driver.said += size;
  return words(driver.nonce++, size);
}
