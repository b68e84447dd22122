import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { toOrgId } from '../../../database/ids.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import type { ReportContentsRepository } from './report-contents.repository.js';
import { ReportStorageService } from './report-storage.service.js';
import type { ContentLocation, ReportContent, ReportStore } from './report-store.js';
import type { ObjectStore } from './s3-report-store.js';

const ORG = toOrgId('00000000-0000-4000-8000-000000000001');
const contents = Array.from({ length: 100 }, (_, at) => ({ sha256: String(999 - at), blocks: [] }));

/** Stores content with a delay. The writes fail for which `failing` returns true. */
class TurnStore implements ReportStore {
  begun = 0;
  running = 0;

  constructor(private readonly failing: (turn: number) => boolean) {}

  async store(_orgId: unknown, { sha256 }: ReportContent): Promise<ContentLocation> {
    const turn = (this.begun += 1);
    this.running += 1;
    await setTimeout(0);
    if (turn % 2 === 0) await setTimeout(0);
    this.running -= 1;
    if (this.failing(turn)) throw new DomainError('unavailable', 'down');
    return { location: sha256 };
  }
}

const storageOf = (store: ReportStore): ReportStorageService =>
  new ReportStorageService(store, {} as ReportContentsRepository, {} as ObjectStore);

describe('storing content', () => {
  it('returns the locations in the order of the digests, in which every upload saves them', async () => {
    const placed = await storageOf(new TurnStore(() => false)).store(ORG, contents);
    expect(placed.map(({ sha256 }) => sha256)).toEqual(contents.map(({ sha256 }) => sha256).toReversed());
  });

  it('that fails starts no more writes, and has none running when it returns', async () => {
    const store = new TurnStore((turn) => turn === 3);
    await expect(storageOf(store).store(ORG, contents)).rejects.toMatchObject({ code: 'unavailable' });
    expect(store.running).toBe(0);
    expect(store.begun).toBeLessThan(20);
  });
});
