/** Counts the cases of a file with a streaming XML parser and nothing else, and reports its time and memory. */
import { createReadStream } from 'node:fs';
import { SaxesParser } from 'saxes';
import type { ParseResult } from './reading.js';

const [path = ''] = process.argv.slice(2);
const before = process.memoryUsage.rss();
const begin = performance.now();
const parser = new SaxesParser();
let cases = 0;
parser.on('opentag', ({ name }) => {
  if (name === 'testcase') cases += 1;
});
for await (const chunk of createReadStream(path, 'utf8')) parser.write(chunk as string);
parser.close();
const milliseconds = performance.now() - begin;
process.send?.({
  milliseconds,
  cases,
  grownBytes: process.resourceUsage().maxRSS * 1_024 - before,
} satisfies ParseResult);
process.disconnect();
