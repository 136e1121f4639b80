// A session that was shown earlier definitions of `read`, `grep` and `edit`. The current tools have further arguments.
// The session keeps the definitions that it was shown, without an epoch, and its tools accept both forms of a call.

import type { ToolSpec } from '@tidemark/context';
import { createAgent } from '@tidemark/kit';
import type { Event } from '@tidemark/log';
import { createScriptedProvider, says, calls } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';
