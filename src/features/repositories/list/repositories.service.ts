import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import {
  repositorySetupState,
  SETUP_STATES,
  type SetupCircumstances,
  type SetupState,
} from '../../../domain/repository/bootstrap.js';
import { repositoryNotFound } from '../../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { RepositoryWarningsService } from '../warnings/repository-warnings.service.js';
import type { RepositoryDto, SetupStateCountsDto } from './repositories.dto.js';
import { type NeededTokens, RepositoriesQueries } from './repositories.queries.js';

const MINUTE_MS = 60_000;
/** After this time without a sync a repository is stale, as its facts are. */
const LIFETIME_MS = 20 * MINUTE_MS;
/** No sync is started within this time after another one, because it would not find more. */
const PAUSE_MS = 5 * MINUTE_MS;

const BATCH = 250;

/** A filter of the repositories; null means all. */
interface RepositoryListFilter {
  /** A part of a name, ignoring case. */
  readonly search: string | null;
  readonly setupState: SetupState | null;
  /** Whether only repositories with a warning are requested. */
  readonly attention: boolean;
}

/** Reads the repositories of a workspace and enqueues a sync if a response shows stale ones. */
@Injectable()
export class RepositoriesService {
  constructor(
    private readonly database: Database,
    private readonly queries: RepositoriesQueries,
    private readonly workspaces: WorkspacesQueries,
    private readonly tokens: RepositoryTokensService,
    private readonly warnings: RepositoryWarningsService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /** Returns a page of stored data. If some of it is stale, enqueues a sync of the workspace. */
  async listPage(
    viewer: Viewer,
    filter: RepositoryListFilter,
    page: PageRequest,
  ): Promise<Page<RepositoryDto> & { readonly counts: SetupStateCountsDto }> {
    const among = await this.findAttended(viewer, filter);
    const { installationId, ...found } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const { counts, circumstances } = await this.countByState(tx, filter);
      const { ids, total } = await this.queries.find(tx, { search: filter.search, circumstances, among }, page);
      const items = await this.list(tx, ids);
      return { items, total, counts, installationId: await this.findInstallation(tx, items) };
    });
    if (installationId !== null) await this.jobs.enqueueGlobal('sync-installation', { installationId });
    return found;
  }

  /** Throws `not_found` if the viewer cannot read the repository. If its data is stale, enqueues a sync of the workspace. */
  async get(viewer: Viewer, id: string): Promise<RepositoryDto> {
    if (!isUuid(id)) throw repositoryNotFound();
    const { repository, installationId } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const [found] = await this.list(tx, [id]);
      if (!found) throw repositoryNotFound();
      return { repository: found, installationId: await this.findInstallation(tx, [found]) };
    });
    if (installationId !== null) await this.jobs.enqueueGlobal('sync-installation', { installationId });
    return repository;
  }

  /** Returns all by the ids at one time. The content is read in batches, because a client may be slow. */
  async *listAll(viewer: Viewer, filter: RepositoryListFilter): AsyncGenerator<readonly RepositoryDto[]> {
    const among = await this.findAttended(viewer, filter);
    const reads = this.database.openLongRead(viewer);
    const { ids } = await reads.read(async (tx) => {
      const { circumstances } = await this.countByState(tx, filter);
      return this.queries.find(tx, { search: filter.search, circumstances, among }, null);
    });
    for (let from = 0; from < ids.length; from += BATCH) {
      yield await reads.read((tx) => this.list(tx, ids.slice(from, from + BATCH)));
    }
  }

  /** Returns the ids of the repositories with a warning; null if all are requested. */
  private async findAttended(viewer: Viewer, { attention }: RepositoryListFilter): Promise<readonly string[] | null> {
    if (!attention) return null;
    return (await this.warnings.list(viewer)).map(({ repositoryId }) => repositoryId);
  }

  /** Counts the repositories by state, and returns the circumstances that lead to the requested state; null for any state. */
  private async countByState(
    tx: TenantTransaction,
    { search, setupState }: RepositoryListFilter,
  ): Promise<{ readonly counts: SetupStateCountsDto; readonly circumstances: readonly SetupCircumstances[] | null }> {
    const found = await this.queries.countByCircumstances(tx, search);
    const counts = Object.fromEntries(SETUP_STATES.map((state) => [state, 0])) as Record<SetupState, number>;
    for (const { count, ...circumstances } of found) counts[repositorySetupState(circumstances)] += count;
    const circumstances = setupState === null ? null : found.filter((one) => repositorySetupState(one) === setupState);
    return { counts, circumstances };
  }

  private async list(tx: TenantTransaction, ids: readonly string[]): Promise<readonly RepositoryDto[]> {
    return this.queries.list(tx, ids, await this.findNeededTokens(tx, ids));
  }

  private async findNeededTokens(tx: TenantTransaction, ids: readonly string[]): Promise<NeededTokens> {
    const { writesWorkflows, administers } = await this.workspaces.getPermissions(tx);
    const holders = administers ? null : await this.tokens.listHolders(tx, ids);
    return { setup: !writesWorkflows, protection: (id) => holders !== null && !holders.has(id) };
  }

  /** Returns the installation to sync; null if nothing is stale or a sync was started recently. */
  async findInstallation(tx: TenantTransaction, repositories: readonly RepositoryDto[]): Promise<number | null> {
    const now = this.clock.now().getTime();
    const isStale = ({ setupState, lastSyncedAt }: RepositoryDto): boolean =>
      setupState !== 'REMOVED' && setupState !== 'SUSPENDED' && (lastSyncedAt?.getTime() ?? 0) < now - LIFETIME_MS;
    if (!repositories.some(isStale)) return null;
    return this.queries.findInstallationToSync(tx, new Date(now - PAUSE_MS));
  }
}
