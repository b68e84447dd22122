import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Database, Viewer } from '../../database/database.js';
import { toOrgId } from '../../database/ids.js';
import type { EvidenceQueries } from './evidence.queries.js';
import { EvidenceService } from './evidence.service.js';
import type { ReportStorageService } from './storage/report-storage.service.js';

const ID = '00000000-0000-4000-8000-000000000001';
const VIEWER: Viewer = { orgId: toOrgId(ID), userId: 1 };

/** Content in three chunks. `isOpen` is true until it is closed. */
class WatchedContent {
  isOpen = true;

  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for (const chunk of ['one ', 'two ', 'three']) yield Buffer.from(chunk);
    } finally {
      this.isOpen = false;
    }
  }
}

function readingOf(content: WatchedContent): EvidenceService {
  const database = { asViewer: async (_: unknown, work: (tx: unknown) => unknown) => work({}) };
  const queries = { findReport: async () => ({ sha256: 'digest' }) };
  const storage = { open: async () => content.chunks() };
  return new EvidenceService(
    database as unknown as Database,
    queries as unknown as EvidenceQueries,
    storage as unknown as ReportStorageService,
  );
}

async function openedReport(content: WatchedContent): Promise<Readable> {
  const { beginning, chunks } = await readingOf(content).open(VIEWER, ID, ID);
  expect(Buffer.from(beginning).toString()).toBe('one ');
  return Readable.from(chunks, { objectMode: false });
}

describe('a report that was opened', () => {
  it('is read completely, including its beginning', async () => {
    const content = new WatchedContent();
    expect(Buffer.concat(await (await openedReport(content)).toArray()).toString()).toBe('one two three');
    expect(content.isOpen).toBe(false);
  });

  it.each([
    ['before the first chunk', 0],
    ['after the first chunk', 1],
  ])('is closed when its reader leaves %s', async (_, chunks) => {
    const content = new WatchedContent();
    const stream = await openedReport(content);
    if (chunks > 0) await once(stream, 'readable');
    stream.destroy();
    await once(stream, 'close');
    expect(content.isOpen).toBe(false);
  });

  it('is one of at most ten concurrent downloads of a user', async () => {
    const reading = readingOf(new WatchedContent());
    const open = (userId: number) => reading.open({ ...VIEWER, userId }, ID, ID);
    const opened = await Promise.all(Array.from({ length: 10 }, () => open(1)));
    await expect(open(1)).rejects.toMatchObject({ code: 'rate_limited' });
    await open(2);
    opened[0]?.ended();
    await open(1);
    await expect(open(1)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('does not count as a download if it cannot be read', async () => {
    const content = new WatchedContent();
    content.chunks = () => {
      throw new Error('lost');
    };
    const reading = readingOf(content);
    for (let tries = 0; tries < 11; tries += 1) await expect(reading.open(VIEWER, ID, ID)).rejects.toThrow('lost');
  });
});
