import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { AnswersUnderWay } from '../../http/answers-under-way.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import {
  type EvidenceBatch,
  type EvidenceDetails,
  type EvidenceRecord,
  EvidenceQueries,
  type StoredReport,
} from './evidence.queries.js';
import { ReportStorageService } from './storage/report-storage.service.js';

const BATCH = 200;
/** Reports that one person is being sent at once: each holds some megabytes for as long as it is read. */
const MOST_UNDER_WAY = 10;
const RETRY_AFTER_SECONDS = 10;

/** A file that came with an upload, with its bytes. */
export interface OpenReport {
  readonly report: StoredReport;
  /** The first of its bytes: what is first in the chunks is among them. */
  readonly beginning: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** To be called once when nobody takes any more of it. */
  readonly ended: () => void;
}

/** Shows people the evidence of the repositories that they may read. */
@Injectable()
export class EvidenceService {
  private readonly underWay = new AnswersUnderWay(MOST_UNDER_WAY);

  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly records: EvidenceQueries,
    private readonly storage: ReportStorageService,
  ) {}

  /** All uploads for a release, batch by batch, the newest first; throws `not_found` for what is no release. */
  async listOfRelease(viewer: Viewer, releaseId: string): Promise<AsyncGenerator<readonly EvidenceRecord[]>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.batches(viewer, releaseId);
  }

  async get(viewer: Viewer, id: string): Promise<EvidenceDetails> {
    const found = isUuid(id) ? await this.database.asViewer(viewer, (tx) => this.records.find(tx, id)) : null;
    if (found === null) throw new DomainError('not_found', 'There is no such evidence.');
    return found;
  }

  /**
   * Throws `not_found` for what is no report of this upload, and `rate_limited` for who is being sent several already; fails
   * where its bytes are not those that were kept.
   */
  async open(viewer: Viewer, evidenceId: string, reportId: string): Promise<OpenReport> {
    if (this.underWay.isFull(viewer.userId)) throw tooManyAtOnce();
    const ended = this.underWay.begin(viewer.userId);
    try {
      const report = await this.findReport(viewer, evidenceId, reportId);
      if (report === null) throw new DomainError('not_found', 'There is no such report.');
      const bytes = await this.storage.open(viewer.orgId, report.sha256);
      const iterator = bytes[Symbol.asyncIterator]();
      const first = await iterator.next();
      const beginning = first.done === true ? new Uint8Array() : first.value;
      return { report, beginning, chunks: resumed(first, iterator), ended };
    } catch (error) {
      ended();
      throw error;
    }
  }

  private async findReport(viewer: Viewer, evidenceId: string, reportId: string): Promise<StoredReport | null> {
    if (!isUuid(evidenceId) || !isUuid(reportId)) return null;
    return this.database.asViewer(viewer, (tx) => this.records.findReport(tx, evidenceId, reportId));
  }

  private async *batches(viewer: Viewer, releaseId: string): AsyncGenerator<readonly EvidenceRecord[]> {
    let before: string | null = null;
    do {
      // A transaction for each: a reader who takes hours over the whole holds none open.
      const batch: EvidenceBatch = await this.database.asViewer(viewer, (tx) =>
        this.records.listBefore(tx, releaseId, before, BATCH),
      );
      if (batch.records.length > 0) yield batch.records;
      before = batch.last;
    } while (before !== null);
  }
}

const tooManyAtOnce = (): DomainError =>
  new DomainError('rate_limited', `Only ${MOST_UNDER_WAY} reports are sent to one person at a time.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** What was begun, from its first chunk on. A reader who leaves before it has taken even that ends the reading as well. */
function resumed<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  // No generator: one that was never asked for anything skips its `finally`, and what it should close stays open.
  let begun = false;
  const iterator: AsyncIterator<T> = {
    async next() {
      if (begun) return rest.next();
      begun = true;
      return first;
    },
    async return() {
      await rest.return?.();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
