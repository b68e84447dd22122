import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../crypto/digests.js';
import { Database, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import { replay, type Replay } from '../../../domain/release/replay.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { pageOffset, type Page, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import {
  type DecisionBatch,
  type DecisionSummary,
  type StoredDecision,
  DecisionsRepository,
} from '../records/decisions.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';

const BATCH = 200;

/** Reads the decisions about a release and derives them again. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly decisions: DecisionsRepository,
  ) {}

  async listPage(viewer: Viewer, releaseId: string, page: PageRequest): Promise<Page<DecisionSummary>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, async (tx) => ({
      total: await this.decisions.count(tx, releaseId),
      items: await this.decisions.listPage(tx, releaseId, page.pageSize, pageOffset(page)),
    }));
  }

  /** Returns all decisions in batches, newest first. */
  async listAll(viewer: Viewer, releaseId: string): Promise<AsyncGenerator<readonly DecisionSummary[]>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.batches(viewer, releaseId);
  }

  /** Throws `not_found` if the viewer cannot read the release or the release has no such decision. */
  async get(viewer: Viewer, releaseId: string, id: string): Promise<StoredDecision> {
    await this.releases.assertReadable(viewer, releaseId);
    const decision =
      isUuid(id) && (await this.database.asViewer(viewer, (tx) => this.decisions.find(tx, releaseId, id)));
    if (!decision) throw new DomainError('not_found', 'The release has no such decision.');
    return decision;
  }

  /** Derives the decision again from its stored inputs. */
  async replay(viewer: Viewer, releaseId: string, id: string): Promise<Replay> {
    const { inputs, verdict } = await this.get(viewer, releaseId, id);
    return replay(inputs, verdict, sha256);
  }

  private async *batches(viewer: Viewer, releaseId: string): AsyncGenerator<readonly DecisionSummary[]> {
    const reads = this.database.openLongRead(viewer);
    let before: string | null = null;
    do {
      // One transaction per batch: a slow client must not hold a transaction open.
      const batch: DecisionBatch = await reads.read((tx) => this.decisions.listBefore(tx, releaseId, before, BATCH));
      if (batch.decisions.length > 0) yield batch.decisions;
      before = batch.last;
    } while (before !== null);
  }
}
