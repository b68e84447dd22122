import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { ConcurrentAnswers } from '../../http/concurrent-answers.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { StoredReport } from './evidence.dto.js';
import { type EvidenceDetails, EvidenceQueries } from './evidence.queries.js';
import { ReportStorageService } from './storage/report-storage.service.js';

/** The maximum number of concurrent downloads of one user. Each holds some megabytes of memory. */
const MAX_DOWNLOADS = 10;
const RETRY_AFTER_SECONDS = 10;

/** A stored report with its content. */
export interface OpenReport {
  readonly report: StoredReport;
  /** The first chunk of the content. `chunks` contains it, too. */
  readonly beginning: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Must be called once when the download has ended. */
  readonly ended: () => void;
}

/** Reads the evidence that a viewer can read. */
@Injectable()
export class EvidenceService {
  private readonly answers = new ConcurrentAnswers(MAX_DOWNLOADS);

  constructor(
    private readonly database: Database,
    private readonly queries: EvidenceQueries,
    private readonly storage: ReportStorageService,
  ) {}

  async get(viewer: Viewer, id: string): Promise<EvidenceDetails> {
    const found = isUuid(id) ? await this.database.asViewer(viewer, (tx) => this.queries.find(tx, id)) : null;
    if (found === null) throw new DomainError('not_found', 'Evidence not found.');
    return found;
  }

  /**
   * Opens the content of a report. Throws `not_found` if the upload has no such report, `rate_limited` if the user has too many
   * downloads, and an `UnexpectedError` if the content does not match its digest.
   */
  async open(viewer: Viewer, evidenceId: string, reportId: string): Promise<OpenReport> {
    if (this.answers.isFull(viewer.userId)) throw tooManyAtOnce();
    const ended = this.answers.begin(viewer.userId);
    try {
      const report = await this.findReport(viewer, evidenceId, reportId);
      if (report === null) throw new DomainError('not_found', 'Report not found.');
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
    return this.database.asViewer(viewer, (tx) => this.queries.findReport(tx, evidenceId, reportId));
  }
}

const tooManyAtOnce = (): DomainError =>
  new DomainError(
    'rate_limited',
    `You can download at most ${MAX_DOWNLOADS} reports at once. Wait until one has ended.`,
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );

/** Returns the iteration from its first chunk on. A consumer that stops before the first chunk closes the source, too. */
function resumed<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  // Not a generator: a generator that never started skips its `finally`, and the source would stay open.
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
