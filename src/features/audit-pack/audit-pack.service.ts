import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../config/clock.js';
import { SERVICE_VERSION } from '../../config/service-version.js';
import { Database, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { ConcurrentAnswers } from '../../http/concurrent-answers.js';
import { DomainError, releaseNotFound } from '../../http/errors/domain-error.js';
import { LOGGER } from '../../observability/logger.js';
import { SigningService } from '../signing/signing.service.js';
import { AuditPackQueries } from './audit-pack.queries.js';
import { PackContentsService } from './pack-contents.service.js';
import { type PackTitle, writePack } from './pack-writer.js';

/** The maximum number of concurrent downloads of one user. */
const MAX_DOWNLOADS = 3;
const RETRY_AFTER_SECONDS = 30;

/** An audit pack while it is downloaded. */
export interface AuditPackDownload {
  /** Contains only letters, digits, dots, hyphens and underscores. */
  readonly filename: string;
  readonly bytes: Readable;
}

/** Creates signed archives with everything that is stored of a release. */
@Injectable()
export class AuditPackService {
  private readonly answers = new ConcurrentAnswers(MAX_DOWNLOADS);

  constructor(
    private readonly database: Database,
    private readonly queries: AuditPackQueries,
    private readonly contents: PackContentsService,
    private readonly keys: SigningService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Creates the pack of a release while it is downloaded. Throws `not_found` if the viewer can read no such release, and
   * `rate_limited` if the user has too many downloads. The stream breaks after an error, so that a part never counts as a pack.
   */
  async create(viewer: Viewer, releaseId: string, requestId: string): Promise<AuditPackDownload> {
    if (this.answers.isFull(viewer.userId)) throw tooManyAtOnce();
    const opened = this.answers.begin(viewer.userId);
    try {
      const now = this.clock.now();
      const index =
        isUuid(releaseId) && (await this.database.asViewer(viewer, (tx) => this.queries.findIndex(tx, releaseId)));
      if (!index) throw releaseNotFound();
      const { org, repo, version } = index.release;
      const release = { milestoneId: releaseId.toLowerCase(), org, repo, version };
      const title: PackTitle = { service: SERVICE_VERSION, release, createdAt: now };
      const chunks = writePack(this.contents.list(viewer, index, title), title, () => this.keys.getSigner());
      return {
        filename: `${`shipgate-${repo}-${version}`.replaceAll(/[^\w.-]/g, '_')}.zip`,
        bytes: Readable.from(this.guarded(chunks, viewer.userId, requestId), { objectMode: false }),
      };
    } finally {
      opened();
    }
  }

  /** Logs an error of the download, because the response has begun and cannot contain it. */
  private async *guarded(
    chunks: AsyncGenerator<Uint8Array>,
    userId: number,
    requestId: string,
  ): AsyncGenerator<Uint8Array> {
    const ended = this.answers.begin(userId);
    try {
      yield* chunks;
    } catch (error) {
      this.log.error({ requestId, err: error }, 'audit pack failed');
      throw error;
    } finally {
      ended();
    }
  }
}

const tooManyAtOnce = (): DomainError =>
  new DomainError(
    'rate_limited',
    `You can download at most ${MAX_DOWNLOADS} audit packs at once. Wait until one has ended.`,
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
