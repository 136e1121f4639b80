// Who is spoken to.

import type { Service } from '@tidemark/provider-wire';

/** Anthropic's own API; its name stands in spans and capability rows too. */
export const ANTHROPIC: Service = { name: 'anthropic', title: 'Anthropic' };
