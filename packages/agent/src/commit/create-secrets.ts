// Finds secrets: the values that were given, in the forms in which they leak, and tokens of well-known shapes. Never by
// how random something looks.

import { maskWords } from './mask-event.ts';
import { createMasker, soughtIn } from './mask-text.ts';
import { PLACEHOLDER } from './placeholder.ts';
import type { SecretValue } from './secret-names.ts';
import type { Secrets } from './secrets.ts';

/**
 * Masks these values, and every token of well-known shape. Of two values where one holds the other, the longer one is
 * found; equal ones go by the first name. A value that holds a placeholder is none: it was masked before.
 */
export function createSecrets({ values }: { readonly values: readonly SecretValue[] }): Secrets {
  const sought = soughtIn(values.filter(({ value }) => value !== '' && !hasPlaceholder(value)));
  const mask = async (text: string): Promise<string> => {
    const masker = createMasker(sought);
    return (await masker.push(text)) + (await masker.end());
  };
  return {
    mask,
    maskEvent: (event) => maskWords(event, mask),
    async *maskStream(chunks) {
      const masker = createMasker(sought);
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      for await (const chunk of chunks) {
        const masked = await masker.push(decoder.decode(chunk, { stream: true }));
        if (masked !== '') yield Buffer.from(masked);
      }
      const rest = (await masker.push(decoder.decode())) + (await masker.end());
      if (rest !== '') yield Buffer.from(rest);
    },
    holdsPlaceholder: hasPlaceholder,
  };
}

function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) !== -1;
}
