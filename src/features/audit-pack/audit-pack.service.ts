import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../config/clock.js';
import { SERVICE_VERSION } from '../../config/service-version.js';
import { Database, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { AnswersUnderWay } from '../../http/answers-under-way.js';
import { DomainError, releaseNotFound } from '../../http/errors/domain-error.js';
import { LOGGER } from '../../observability/logger.js';
import { SigningService } from '../signing/signing.service.js';
import { AuditPackQueries } from './audit-pack.queries.js';
import { PackContentsService } from './pack-contents.service.js';
import { type PackTitle, writePack } from './pack-writer.js';

/** Of one person at once. */
const MOST_UNDER_WAY = 3;
const RETRY_AFTER_SECONDS = 30;

/** A pack on its way to whoever asked for it. */
export interface AuditPackDownload {
  /** Of letters, digits, dots, dashes and underscores. */
  readonly filename: string;
  readonly bytes: Readable;
}

/** Everything that is kept of a release, signed, for those who look into it later and elsewhere. */
@Injectable()
export class AuditPackService {
  private readonly underWay = new AnswersUnderWay(MOST_UNDER_WAY);

  constructor(
    private readonly database: Database,
    private readonly queries: AuditPackQueries,
    private readonly contents: PackContentsService,
    private readonly keys: SigningService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * A pack of the release as it is now, made while it is read. Throws `not_found` for what the viewer may not read, and
   * `rate_limited` for who reads several already. Where it cannot be ended the stream breaks: half a pack must not pass for
   * a whole one.
   */
  async create(viewer: Viewer, releaseId: string, requestId: string): Promise<AuditPackDownload> {
    if (this.underWay.isFull(viewer.userId)) throw tooManyAtOnce();
    const opened = this.underWay.begin(viewer.userId);
    try {
      const now = this.clock.now();
      const index =
        isUuid(releaseId) && (await this.database.asViewer(viewer, (tx) => this.queries.findIndex(tx, releaseId)));
      if (!index) throw releaseNotFound();
      const { org, repo, version } = index.release;
      const release = { milestoneId: releaseId.toLowerCase(), org, repo, version };
      const title: PackTitle = { service: SERVICE_VERSION, release, madeAt: now };
      const chunks = writePack(this.contents.list(viewer, index, title), title, () => this.keys.getSigner());
      return {
        filename: `${`shipgate-${repo}-${version}`.replaceAll(/[^\w.-]/g, '_')}.zip`,
        bytes: Readable.from(this.guarded(chunks, viewer.userId, requestId), { objectMode: false }),
      };
    } finally {
      opened();
    }
  }

  /** Whoever has to find out why a pack broke off finds it in the log: the answer had begun, and can say nothing. */
  private async *guarded(
    chunks: AsyncGenerator<Uint8Array>,
    userId: number,
    requestId: string,
  ): AsyncGenerator<Uint8Array> {
    const ended = this.underWay.begin(userId);
    try {
      yield* chunks;
    } catch (error) {
      this.log.error({ requestId, err: error }, 'audit pack broken off');
      throw error;
    } finally {
      ended();
    }
  }
}

const tooManyAtOnce = (): DomainError =>
  new DomainError('rate_limited', `Only ${MOST_UNDER_WAY} audit packs are sent to one person at a time.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
