import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import { type DatedReleaseSummary, ReleaseSummariesQueries } from '../releases/lists/release-summaries.queries.js';
import { StaleReleasesService } from '../releases/lists/stale-releases.service.js';
import type { ProjectDto } from './projects.dto.js';
import { projectNotFound } from './projects.errors.js';
import { ProjectsQueries, type ProjectFilter } from './projects.queries.js';
import { isUuid } from '../../database/ids.js';
import type { PageRequest, Page } from '../../http/pagination/pagination.dto.js';

/** Projects per batch. Each may have a hundred repositories. */
const BATCH = 50;

/** Projects that were read together. */
interface ReadProjects {
  readonly projects: readonly ProjectDto[];
  /** Their releases with stale facts. */
  readonly stale: readonly DatedReleaseSummary[];
}

/** Reads projects by the stored facts of their releases. Lists begin with the project that changed last. */
@Injectable()
export class ProjectViewService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsQueries,
    private readonly summaries: ReleaseSummariesQueries,
    private readonly staleReleases: StaleReleasesService,
    private readonly clock: Clock,
  ) {}

  /** Returns the project and enqueues a refresh of its stale facts. Throws `not_found` if there is none. */
  async getIn(tx: TenantTransaction, id: string): Promise<ProjectDto> {
    const { projects, stale } = await this.read(tx, [id]);
    const [project] = projects;
    if (!project) throw projectNotFound();
    await this.staleReleases.enqueueRefresh(tx, stale);
    return project;
  }

  /** Reads the existing projects, in the order of the ids. The caller enqueues the refresh of the stale releases. */
  async read(tx: TenantTransaction, ids: readonly string[]): Promise<ReadProjects> {
    const now = this.clock.now();
    const freezes = await this.summaries.listActiveFreezes(tx, now);
    const { projects, staleReleaseIds } = await this.projects.listDated(tx, ids, { freezes, now });
    return { projects, stale: await this.summaries.listDated(tx, staleReleaseIds, freezes, now) };
  }

  /** Returns the project and enqueues a refresh of its stale facts. Throws `not_found` if there is none. */
  async get(viewer: Viewer, id: string): Promise<ProjectDto> {
    if (!isUuid(id)) throw projectNotFound();
    const { projects, stale } = await this.database.readOnlyAsViewer(viewer, (tx) => this.read(tx, [id]));
    const [project] = projects;
    if (!project) throw projectNotFound();
    await this.staleReleases.enqueueRefreshOnRead(viewer.orgId, stale);
    return project;
  }

  /** Returns a page of stored projects and enqueues a refresh of their stale facts. */
  async readPage(viewer: Viewer, filter: ProjectFilter, page: PageRequest): Promise<Page<ProjectDto>> {
    const { projects, stale, total } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const found = await this.projects.find(tx, filter, page);
      return { ...(await this.read(tx, found.ids)), total: found.total };
    });
    await this.staleReleases.enqueueRefreshOnRead(viewer.orgId, stale);
    return { items: projects, total };
  }

  /**
   * Returns all matching projects by the ids at one time. One transaction per batch: a slow client must not hold a transaction
   * open.
   */
  async *readAll(viewer: Viewer, filter: ProjectFilter): AsyncGenerator<readonly ProjectDto[]> {
    const reads = this.database.openLongRead(viewer);
    const { ids } = await reads.read((tx) => this.projects.find(tx, filter, null));
    for (let from = 0; from < ids.length; from += BATCH) {
      yield await reads.read(async (tx) => {
        const now = this.clock.now();
        const freezes = await this.summaries.listActiveFreezes(tx, now);
        return this.projects.list(tx, ids.slice(from, from + BATCH), { freezes, now });
      });
    }
  }
}
