import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { OrgId } from '../../../database/ids.js';
import { totalSize } from '../../../http/body/byte-blocks.js';
import { DomainError, UnexpectedError } from '../../../http/errors/domain-error.js';
import { type LocatedContent, ReportContentsRepository } from './report-contents.repository.js';
import { REPORT_STORE, type ReportContent, type ReportStore } from './report-store.js';
import { ObjectStore } from './s3-report-store.js';

/** How many files of an upload are stored concurrently. An upload may have hundreds. */
const STORED_AT_ONCE = 8;
/** How many files one run of the retention deletes. */
const DELETED_AT_ONCE = 500;

/** Stores the files of uploads and reads them again, complete and unchanged or not at all. */
@Injectable()
export class ReportStorageService {
  constructor(
    @Inject(REPORT_STORE) private readonly reportStore: ReportStore,
    private readonly contents: ReportContentsRepository,
    private readonly objects: ObjectStore,
  ) {}

  /**
   * Stores the contents and returns their locations, sorted by digest. The caller saves them with `ReportContentsRepository` in its
   * transaction. If one content cannot be stored, rejects after all running requests have ended.
   */
  async store(orgId: OrgId, contents: readonly ReportContent[]): Promise<readonly LocatedContent[]> {
    const waiting = [...new Map(contents.map((content) => [content.sha256, content])).values()];
    const placed: LocatedContent[] = [];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        placed.push({
          sha256: next.sha256,
          size: totalSize(next.blocks),
          placement: await this.reportStore.store(orgId, next),
        });
      }
    };
    const outcomes = await Promise.allSettled(
      Array.from({ length: STORED_AT_ONCE }, () =>
        worker().catch((error: unknown) => {
          waiting.length = 0;
          throw error;
        }),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    // Sorted, so that two concurrent uploads with the same files cannot deadlock.
    return placed.toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
  }

  /**
   * Reads the content with this digest. The digest is checked once before the first byte is returned, and again during the read.
   * Throws `not_found` if retention deleted it, and an `UnexpectedError` if the content is missing or damaged.
   */
  async open(orgId: OrgId, sha256: string): Promise<AsyncIterable<Buffer>> {
    for await (const _ of this.checked(orgId, sha256));
    return this.checked(orgId, sha256);
  }

  /**
   * Deletes the files of content that retention deleted before the given time. Returns their number. No upload can write to
   * their locations any more, which name the month of the upload.
   */
  async deleteRemoved(orgId: OrgId, before: Date): Promise<number> {
    const locations = await this.contents.listRemoved(orgId, before, DELETED_AT_ONCE);
    for (const location of locations) {
      await this.objects.remove(location);
      await this.contents.clearLocation(orgId, location);
    }
    return locations.length;
  }

  /** Yields each chunk when the next one has arrived, so that the last one is returned only if the digest matches. */
  private async *checked(orgId: OrgId, sha256: string): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let held: Buffer | null = null;
    for await (const chunk of await this.read(orgId, sha256)) {
      hash.update(chunk);
      if (held !== null) yield held;
      held = chunk;
    }
    const found = hash.digest('hex');
    if (found !== sha256) throw damaged(new Error(`the content of ${sha256} has the digest ${found}`));
    if (held !== null) yield held;
  }

  private async read(orgId: OrgId, sha256: string): Promise<AsyncIterable<Buffer>> {
    const place = await this.contents.find(orgId, sha256);
    if (place === null) throw damaged(new Error(`the workspace has no content ${sha256}`));
    const { location, blocks, removedAt } = place;
    if (removedAt !== null) throw removed(removedAt);
    if (location === null) return this.contents.read(orgId, sha256, blocks);
    const object = await this.objects.read(location);
    if (object === null) throw damaged(new Error(`there is nothing at ${location}`));
    return object;
  }
}

const removed = (at: Date): DomainError =>
  new DomainError(
    'not_found',
    `The content of this report was deleted on ${at.toISOString().slice(0, 10)}, because its release was never deployed.`,
  );

const damaged = (cause: Error): UnexpectedError =>
  new UnexpectedError(
    'The stored report does not match its digest. Ask the operator of the service to look into the log.',
    cause,
  );
