// The service that this package calls: its name and its title.

import type { Service } from '@tidemark/provider-wire';

/** Anthropic's own API. Its name also appears in spans and capability rows. */
export const ANTHROPIC: Service = { name: 'anthropic', title: 'Anthropic' };
