import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import { selectDecidingIds } from '../../domain/evidence/effective-evidence-set.js';
import { type EvidenceItem, uploadIdFromItemId } from '../../domain/evidence/evidence.js';
import { groupBy } from '../../domain/group-by.js';
import { releaseNotFound } from '../../http/errors/domain-error.js';
import { type Page, pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import {
  ReleaseEvaluationService,
  type ReleaseEvaluationWithInputs,
} from '../releases/evaluation/release-evaluation.service.js';
import { VerdictInputsQueries } from '../releases/evaluation/verdict-inputs.queries.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import type { EvidenceFilter } from './evidence.dto.js';
import { type EvidenceBatch, EvidenceQueries } from './evidence.queries.js';

const BATCH = 200;

/** An evidence item in a list. */
export interface ListedItem {
  readonly item: EvidenceItem;
  readonly runUrl: string | null;
  /** The verdict uses the item. */
  readonly decides: boolean;
}

/** Lists the evidence items of a release, newest upload first. */
@Injectable()
export class EvidenceListService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly inputs: VerdictInputsQueries,
    private readonly queries: EvidenceQueries,
  ) {}

  /** Throws `not_found` if the viewer can read no such release. */
  async listPage(
    viewer: Viewer,
    releaseId: string,
    filter: EvidenceFilter,
    page: PageRequest,
  ): Promise<Page<ListedItem>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, async (tx) => {
      // The verdict reads every item to select those that it uses, so the filter and the page need no second statement.
      const { inputs, verdict } = await this.evaluate(tx, releaseId);
      const deciding = selectDecidingIds(verdict.evidenceSet);
      const found = newestFirst(inputs.evidence).filter((item) => matches(filter, item, deciding));
      const start = pageOffset(page);
      const listed = found.slice(start, start + page.pageSize);
      const runUrls = listed.length > 0 ? await this.inputs.runUrls(tx, releaseId) : new Map<string, string>();
      return {
        items: listed.map((item) => toListed(item, deciding, runUrls.get(item.id) ?? null)),
        total: found.length,
      };
    });
  }

  /** Returns all items in batches. Throws `not_found` if the viewer can read no such release. */
  async listAll(
    viewer: Viewer,
    releaseId: string,
    filter: EvidenceFilter,
  ): Promise<AsyncGenerator<readonly ListedItem[]>> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.readBatches(viewer, releaseId, filter, await this.listDecidingIds(viewer, releaseId));
  }

  /** Returns the ids of the items that the verdict of the release uses. */
  async listDecidingIds(viewer: Viewer, releaseId: string): Promise<ReadonlySet<string>> {
    const { verdict } = await this.database.asViewer(viewer, (tx) => this.evaluate(tx, releaseId));
    return selectDecidingIds(verdict.evidenceSet);
  }

  private async evaluate(tx: TenantTransaction, releaseId: string): Promise<ReleaseEvaluationWithInputs> {
    const evaluation = await this.evaluations.evaluate(tx, releaseId);
    if (!evaluation) throw releaseNotFound();
    return evaluation;
  }

  private async *readBatches(
    viewer: Viewer,
    releaseId: string,
    filter: EvidenceFilter,
    deciding: ReadonlySet<string>,
  ): AsyncGenerator<readonly ListedItem[]> {
    let before: string | null = null;
    do {
      // One transaction per batch, because a client may take hours to read the list.
      const batch: EvidenceBatch = await this.database.asViewer(viewer, (tx) =>
        this.queries.listBefore(tx, releaseId, before, BATCH),
      );
      yield batch.records.flatMap(({ items, runUrl }) =>
        items.filter((item) => matches(filter, item, deciding)).map((item) => toListed(item, deciding, runUrl)),
      );
      before = batch.last;
    } while (before !== null);
  }
}

/** Orders the uploads newest first, and the items of one upload as they were uploaded. */
const newestFirst = (items: readonly EvidenceItem[]): readonly EvidenceItem[] =>
  [...groupBy(items, uploadIdFromItemId).values()].toReversed().flat();

const matches = (
  { type, environment, decides }: EvidenceFilter,
  { id, kind, environment: itemEnvironment }: EvidenceItem,
  deciding: ReadonlySet<string>,
): boolean =>
  (type === null || type === kind) &&
  (environment === null || environment === itemEnvironment) &&
  (decides === null || decides === deciding.has(id));

const toListed = (item: EvidenceItem, deciding: ReadonlySet<string>, runUrl: string | null): ListedItem => ({
  item,
  runUrl,
  decides: deciding.has(item.id),
});
