import { afterEach, describe, expect, it } from '@jest/globals';
import { junit } from '../../../../test/support/ci-run-client.js';
import { sourceParserThreads } from '../../../../test/support/source-parser-threads.js';
import type { OrgId } from '../../../database/ids.js';
import { toBlocks } from '../../../http/body/byte-blocks.js';
import { createLineLogger } from '../../../observability/logger.js';
import { ParserThreadConfig } from './parser-thread.js';
import { ReportParserService } from './report-parser.service.js';
import type { ParsedFile, ParseRequest } from './report-parsing.js';

const lines: string[] = [];
const readers: ReportParserService[] = [];
const readerOf = (source: ParserThreadConfig): ReportParserService => {
  const reader = new ReportParserService(source, createLineLogger('error', { write: (line) => void lines.push(line) }));
  readers.push(reader);
  return reader;
};
const threadOf = (script: string): ParserThreadConfig =>
  new ParserThreadConfig(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
const orderOf = (...contents: readonly string[]): ParseRequest => ({
  files: contents.map((content, at) => ({ filename: `${at}.xml`, content: toBlocks(Buffer.from(content)) })),
  kind: undefined,
});
/** Converts the bytes to buffers, because a thread returns plain byte arrays. */
const received = ({ content, testResults, ...rest }: Partial<ParsedFile> = {}): object => ({
  ...rest,
  content: Buffer.concat(content ?? []),
  testResults: {
    complete: testResults?.complete,
    parts: testResults?.parts.map(({ tests, marks, names }) => [tests, Buffer.from(marks), Buffer.from(names)]),
  },
});
const [WORKSPACE, OTHER] = ['one', 'other'] as unknown as readonly [OrgId, OrgId];
const UNTIL_ENDED = new AbortController().signal;
/** Builds a report that is large enough for a thread. */
const large = (tests = 3_000): string => junit(tests);

afterEach(async () => {
  lines.length = 0;
  for (const reader of readers.splice(0)) await reader.onApplicationShutdown();
});

describe('reports', () => {
  it('are the same, whether a thread has read them or not', async () => {
    const reader = readerOf(sourceParserThreads());
    const small = junit(3, 1);
    const [alone] = await reader.parse(WORKSPACE, orderOf(small), UNTIL_ENDED);
    const page = `<html>${'x'.repeat(200_000)}</html>`;
    const [file, padding] = await reader.parse(WORKSPACE, orderOf(small, page), UNTIL_ENDED);
    expect(received(file)).toEqual(received(alone));
    expect(file?.report).toMatchObject({ kind: 'unit_tests', metrics: { unit_tests: { total: 3, failed: 1 } } });
    expect(file?.testResults.parts.map(({ tests }) => tests)).toEqual([3]);
    expect(Buffer.concat(padding?.content ?? []).toString()).toBe(page);
  });

  it('of more uploads than there are threads wait for one, and all are read', async () => {
    const reader = readerOf(sourceParserThreads());
    const counts = Array.from({ length: 9 }, (_, at) => 3_000 + at);
    const read = await Promise.all(counts.map((count) => reader.parse(WORKSPACE, orderOf(large(count)), UNTIL_ENDED)));
    expect(read.map(([file]) => file?.report)).toMatchObject(
      counts.map((total) => ({ metrics: { unit_tests: { total } } })),
    );
  });

  it('of two workspaces take turns', async () => {
    const reader = readerOf(
      threadOf(`
        import { parentPort } from 'node:worker_threads';
        parentPort.on('message', ({ files }) => {
          setTimeout(() => parentPort.postMessage({ files: [] }), 20);
        });`),
    );
    const done: OrgId[] = [];
    const read = async (orgId: OrgId): Promise<void> => {
      await reader.parse(orgId, orderOf(large()), UNTIL_ENDED);
      done.push(orgId);
    };
    await Promise.all([...Array.from({ length: 30 }, () => read(OTHER)), read(WORKSPACE)]);
    // Before it come the uploads that already had a thread, and one more for each thread.
    expect(done.indexOf(WORKSPACE)).toBeLessThan(15);
    expect(done).toHaveLength(31);
  });

  it('that end their thread are rejected, and the next reports get another thread', async () => {
    const reader = readerOf(
      threadOf(`
        import { parentPort } from 'node:worker_threads';
        parentPort.on('message', ({ files }) => {
          if (files[0].content[0].length % 2 === 1) throw new Error('out of everything');
          parentPort.postMessage({ files: [] });
        });`),
    );
    const even = large().padEnd(200_000);
    const odd = `${even} `;
    const orders = [odd, even, odd, odd, even, odd].map((content) =>
      reader.parse(WORKSPACE, orderOf(content), UNTIL_ENDED),
    );
    const answers = await Promise.allSettled(orders);
    expect(answers.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    await expect(reader.parse(WORKSPACE, orderOf(odd), UNTIL_ENDED)).rejects.toMatchObject({ code: 'unprocessable' });
    expect(lines.join('')).toContain('out of everything');
  });
});
