import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { OrgId } from '../../../database/ids.js';
import { totalSize } from '../../../http/body/byte-blocks.js';
import { UnexpectedError } from '../../../http/errors/domain-error.js';
import { type LocatedContent, ReportContentsRepository } from './report-contents.repository.js';
import { REPORT_STORE, type ReportContent, type ReportStore } from './report-store.js';
import { ObjectStore } from './s3-report-store.js';

/** An upload may have hundreds of files; this many are on their way at a time. */
const PLACED_AT_ONCE = 8;

/** Where the files of uploads are kept, and how they are read again: whole and unchanged, or not at all. */
@Injectable()
export class ReportStorageService {
  constructor(
    @Inject(REPORT_STORE) private readonly reportStore: ReportStore,
    private readonly contents: ReportContentsRepository,
    private readonly objects: ObjectStore,
  ) {}

  /**
   * Puts content where it will be read; what it answers, in the order of the digests, is recorded by `ReportContentsRepository` in
   * the caller's transaction. Where one cannot be put, nothing is on its way any more when this is told.
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
      Array.from({ length: PLACED_AT_ONCE }, () =>
        worker().catch((error: unknown) => {
          waiting.length = 0;
          throw error;
        }),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    // Two uploads at once that share files wait for each other in one order, and never each for the other.
    return placed.toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
  }

  /**
   * The bytes that the workspace keeps under this digest, which they are sure to have: they are read through once before
   * the first is handed out, and break off where they change meanwhile.
   * @throws UnexpectedError where they are gone, or are others.
   */
  async open(orgId: OrgId, sha256: string): Promise<AsyncIterable<Buffer>> {
    for await (const _ of this.checked(orgId, sha256));
    return this.checked(orgId, sha256);
  }

  /** Holds every chunk back until the next one has come, so that the last never passes unless the digest holds. */
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
    const { location, blocks } = place;
    if (location === null) return this.contents.read(orgId, sha256, blocks);
    const object = await this.objects.read(location);
    if (object === null) throw damaged(new Error(`there is nothing at ${location}`));
    return object;
  }
}

const damaged = (cause: Error): UnexpectedError =>
  new UnexpectedError('The report is not kept as it was uploaded, and is not shown; the log says more.', cause);
