/** Counts the cases of a file with a streaming XML parser and nothing else, and reports its time and memory. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
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
  grownBytes: peakBytes() - before,
} satisfies ParseResult);
process.disconnect();

/** `maxRSS` includes the memory of the benchmark at the fork, which holds the whole file. */
function peakBytes(): number {
  const status = '/proc/self/status';
  const kilobytes = existsSync(status)
    ? Number(/VmHWM:\s*(\d+)/.exec(readFileSync(status, 'utf8'))?.[1])
    : process.resourceUsage().maxRSS;
  return kilobytes * 1_024;
}
