import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../crypto/digests.js';
import { Database, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import { haveRulesChanged, replay, type Replay } from '../../../domain/release/replay.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { pageOffset, type Page, type PageRequest } from '../../../http/pagination/pagination.dto.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import type { DecisionDetailDto, DecisionDto } from './decisions.dto.js';
import { DecisionsQueries, type DecisionWithInputs } from './decisions.queries.js';

const BATCH = 200;

/** Reads the decisions about a release and derives them again. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly decisions: DecisionsQueries,
  ) {}

  async listPage(viewer: Viewer, releaseId: string, page: PageRequest): Promise<Page<DecisionDto>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, async (tx) => ({
      total: await this.decisions.count(tx, releaseId),
      items: await this.decisions.listPage(tx, releaseId, page.pageSize, pageOffset(page)),
    }));
  }

  /** Returns all decisions in batches, newest first. */
  async listAll(viewer: Viewer, releaseId: string): Promise<AsyncGenerator<readonly DecisionDto[]>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.batches(viewer, releaseId);
  }

  /** Throws `not_found` if the viewer cannot read the release or the release has no such decision. */
  async get(viewer: Viewer, releaseId: string, id: string): Promise<DecisionDetailDto> {
    const decision = await this.read(viewer, releaseId, id);
    const { rules } = decision.inputs;
    return { ...decision, rules, rulesChanged: haveRulesChanged(rules) };
  }

  /** Derives the decision again from its stored inputs. Throws `not_found` like `get`. */
  async replay(viewer: Viewer, releaseId: string, id: string): Promise<Replay> {
    const { inputs, verdict } = await this.read(viewer, releaseId, id);
    return replay(inputs, verdict, sha256);
  }

  private async read(viewer: Viewer, releaseId: string, id: string): Promise<DecisionWithInputs> {
    await this.releases.assertReadable(viewer, releaseId);
    const decision =
      isUuid(id) && (await this.database.asViewer(viewer, (tx) => this.decisions.find(tx, releaseId, id)));
    if (!decision) throw new DomainError('not_found', 'The release has no such decision.');
    return decision;
  }

  private async *batches(viewer: Viewer, releaseId: string): AsyncGenerator<readonly DecisionDto[]> {
    const reads = this.database.openLongRead(viewer);
    let before: string | null = null;
    do {
      // One transaction per batch: a slow client must not hold a transaction open.
      const batch: readonly DecisionDto[] = await reads.read((tx) =>
        this.decisions.listBefore(tx, releaseId, before, BATCH),
      );
      if (batch.length > 0) yield batch;
      before = batch.length < BATCH ? null : (batch.at(-1)?.id ?? null);
    } while (before !== null);
  }
}
