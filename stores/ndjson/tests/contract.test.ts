// Runs the contract tests of the Log port on the NDJSON store.

import { describeLogContract } from '@tidemark/log/contract';
import { storeUnderTest } from './temporary-home.ts';

describeLogContract('the NDJSON store', storeUnderTest);
