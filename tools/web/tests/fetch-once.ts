// Program of a test: fetches the address in its first argument, which may be private, and prints the result.

import { createFetchTool } from '../src/fetch/fetch-tool.ts';
import { callTool } from './call-tool.ts';

const [, , url = ''] = process.argv;
const tool = createFetchTool({ now: () => 'now', allowPrivate: [new URL(url).host] });
console.log((await callTool(tool, { url })).text);
