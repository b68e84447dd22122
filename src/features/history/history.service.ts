import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import type { LongRead } from '../../database/replica.js';
import { type DayRange, validateDayRange } from '../../domain/history/deployment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../http/pagination/pagination.dto.js';
import { toSearchTerms } from '../releases/lists/release-search.queries.js';
import type { HistoryDto, DeploymentRecordDto, HistoryFilter } from './history.dto.js';
import { type FoundRecords, HistoryQueries, type RecordedRepository, type RecordSearch } from './history.queries.js';

const BATCH = 250;

/** The values that the history can be filtered by, of its repositories that the viewer can read. */
type FilterChoices = Pick<HistoryDto, 'repositories' | 'environments'>;

/** Reads the deployments to the targets of a workspace, latest first. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly database: Database,
    private readonly records: HistoryQueries,
  ) {}

  /** Throws `invalid` for days that do not exist or are in the wrong order. The choices are those of the whole history. */
  async readPage(
    viewer: Viewer,
    filter: HistoryFilter,
    page: PageRequest,
  ): Promise<Page<DeploymentRecordDto> & FilterChoices> {
    assertDays(filter);
    return this.database.readOnlyAsViewer(viewer, async (tx) => {
      const { ids, ...found } = await this.find(tx, filter, page);
      return { items: await this.records.list(tx, ids), ...found };
    });
  }

  /** Returns all of them by the ids at one time and reads them in batches. Throws the same errors as `readPage`. */
  async readAll(
    viewer: Viewer,
    filter: HistoryFilter,
  ): Promise<FilterChoices & { readonly batches: AsyncIterable<readonly DeploymentRecordDto[]> }> {
    assertDays(filter);
    const reads = this.database.openLongRead(viewer);
    const { ids, repositories, environments } = await reads.read((tx) => this.find(tx, filter, null));
    return { batches: this.readBatches(reads, ids), repositories, environments };
  }

  private async find(
    tx: TenantTransaction,
    filter: HistoryFilter,
    page: PageRequest | null,
  ): Promise<FoundRecords & FilterChoices> {
    const { from, to, ...others } = filter;
    const environments = await this.records.listEnvironments(tx);
    // The stored counts serve only a history that nothing else restricts.
    if (Object.values(others).every((value) => value === null)) {
      const found = await this.records.findOfAny(tx, { from, to }, page);
      return { ...found, repositories: withoutDuplicates(found.repositories), environments };
    }
    const { repository, search, kind, environment } = others;
    const recorded = await this.records.listRepositories(tx);
    const found = await this.records.find(
      tx,
      {
        kind,
        environment,
        from,
        to,
        repositoryIds: repository === null ? null : selectIds(recorded, isNamed(repository)),
        search: search === null ? null : toRecordSearch(search, recorded),
      },
      page,
    );
    return { ...found, repositories: withoutDuplicates(recorded.map(({ name }) => name)), environments };
  }

  /** One transaction per batch: a slow client must not hold a connection. */
  private async *readBatches(
    reads: LongRead<TenantTransaction>,
    ids: readonly string[],
  ): AsyncGenerator<readonly DeploymentRecordDto[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      yield await reads.read((tx) => this.records.list(tx, batch));
    }
  }
}

function assertDays(days: DayRange): void {
  const problem = validateDayRange(days);
  if (problem !== null) throw new DomainError('invalid', problem);
}

const selectIds = (
  recorded: readonly RecordedRepository[],
  isSelected: (lowerName: string) => boolean,
): readonly string[] => recorded.filter(({ name }) => isSelected(name.toLowerCase())).map(({ id }) => id);

const isNamed = (repository: string): ((lowerName: string) => boolean) => {
  const requested = repository.toLowerCase();
  return (lowerName) => lowerName === requested;
};

/** The owner counts only for a text with a slash, as in every search. */
function toRecordSearch(search: string, recorded: readonly RecordedRepository[]): RecordSearch {
  const [term, repository, version] = toSearchTerms(search);
  const isSelected = (lowerName: string): boolean =>
    repository !== null &&
    (repository.includes('/') ? lowerName : lowerName.slice(lowerName.indexOf('/') + 1)).includes(repository);
  return { term, version, repositoryIds: selectIds(recorded, isSelected) };
}

/** A repository that was created again under the same name has another id, but the name is listed once. */
const withoutDuplicates = (names: readonly string[]): readonly string[] => [...new Set(names)];
