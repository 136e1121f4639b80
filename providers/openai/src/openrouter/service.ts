// Who is spoken to.

import type { Service } from '@tidemark/provider-wire';

/** The router. Which upstream answers is its own choice, kept for a session as far as it can. */
export const OPENROUTER: Service = { name: 'openrouter', title: 'OpenRouter' };
