// The NDJSON store under the contract of the port.

import { describeLogContract } from '@tidemark/log/contract';
import { storeUnderTest } from './temporary-home.ts';

describeLogContract('the NDJSON store', storeUnderTest);
