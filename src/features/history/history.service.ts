import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import { type DayRange, validateDayRange } from '../../domain/history/deployment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../http/pagination/pagination.dto.js';
import { type FoundRecords, type HistoryItem, HistoryQueries } from './history.queries.js';

const BATCH = 250;

/** Which deployments are asked for. */
export interface HistoryFilter extends DayRange {
  /** As `owner/name`, in any case; null is any. */
  readonly repository: string | null;
}

/** What was deployed to the targets of a workspace, the latest first. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly database: Database,
    private readonly records: HistoryQueries,
  ) {}

  /** Throws `invalid` for days that are none, or the wrong way round. `repositories` are those of the whole history. */
  async readPage(
    viewer: Viewer,
    filter: HistoryFilter,
    page: PageRequest,
  ): Promise<Page<HistoryItem> & { readonly repositories: readonly string[] }> {
    requireDays(filter);
    return this.database.readOnlyAsViewer(viewer, async (tx) => {
      const { ids, total, repositories } = await this.find(tx, filter, page);
      return { items: await this.records.list(tx, ids), total, repositories };
    });
  }

  /** All of them, as of one moment; they are read batch by batch. Throws as for a page. */
  async readAll(
    viewer: Viewer,
    filter: HistoryFilter,
  ): Promise<{ readonly batches: AsyncIterable<readonly HistoryItem[]>; readonly repositories: readonly string[] }> {
    requireDays(filter);
    const { ids, repositories } = await this.database.readOnlyAsViewer(viewer, (tx) => this.find(tx, filter, null));
    return { batches: this.batches(viewer, ids), repositories };
  }

  private async find(
    tx: TenantTransaction,
    { repository, ...days }: HistoryFilter,
    page: PageRequest | null,
  ): Promise<FoundRecords & { readonly repositories: readonly string[] }> {
    if (repository === null) {
      const found = await this.records.findOfAny(tx, days, page);
      return { ...found, repositories: withoutDoubles(found.repositories) };
    }
    const recorded = await this.records.listRepositories(tx);
    const wanted = repository.toLowerCase();
    const repositoryIds = recorded.filter(({ name }) => name.toLowerCase() === wanted).map(({ id }) => id);
    const found = await this.records.find(tx, { repositoryIds, ...days }, page);
    return { ...found, repositories: withoutDoubles(recorded.map(({ name }) => name)) };
  }

  /** Asked for batch by batch: a reader who takes hours over the whole holds no connection. */
  private async *batches(viewer: Viewer, ids: readonly string[]): AsyncGenerator<readonly HistoryItem[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      yield await this.database.readOnlyAsViewer(viewer, (tx) => this.records.list(tx, batch));
    }
  }
}

function requireDays(days: DayRange): void {
  const problem = validateDayRange(days);
  if (problem !== null) throw new DomainError('invalid', problem);
}

/** One that was made anew under the same name is another repository, and the same choice. */
const withoutDoubles = (names: readonly string[]): readonly string[] => [...new Set(names)];
