import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { isCalendarDay } from '../../domain/policy/freeze.js';
import { DomainError, repositoryNotFound } from '../../http/errors/domain-error.js';
import type { Page, PageRequest } from '../../http/pagination/pagination.dto.js';
import { type DatedReleaseSummary, ReleaseSummariesQueries } from '../releases/lists/release-summaries.queries.js';
import { StaleReleasesService } from '../releases/lists/stale-releases.service.js';
import type { ProjectDto } from './projects.dto.js';
import { ProjectsQueries, type ProjectDetails, type ProjectFilter } from './projects.queries.js';
import { type ProjectLink, ProjectLinksRepository, ProjectsRepository } from './projects.repository.js';

const projectNotFound = (): DomainError => new DomainError('not_found', 'The workspace has no such project.');

const noSuchRelease = (): DomainError =>
  new DomainError('not_found', 'The repository has no such release, or it was deleted.', {
    errorCode: 'release_not_found',
  });

const notLinked = (): DomainError =>
  new DomainError('not_found', 'The project has no such repository, or you cannot read it.');

const projectHasHiddenRepository = (): DomainError =>
  new DomainError(
    'forbidden',
    'The project has repositories that you cannot read on GitHub. Only a member who can read all of them can delete it.',
    { errorCode: 'hidden_repositories' },
  );

const nameTaken = (): DomainError =>
  new DomainError('conflict', 'Another project of the workspace has this name. Choose another name.', {
    errorCode: 'name_taken',
  });

const projectLimitReached = (limit: number): DomainError =>
  new DomainError('conflict', `The workspace has the maximum of ${limit} projects. Delete a project first.`, {
    errorCode: 'project_limit',
  });

const repositoryLimitReached = (limit: number): DomainError =>
  new DomainError(
    'conflict',
    `The project has the maximum of ${limit} repositories, including those that you cannot read. Remove a repository first.`,
    { errorCode: 'repository_limit' },
  );

const invalidTargetDate = (): DomainError =>
  new DomainError('invalid', 'targetDate must be a day of the calendar, as YYYY-MM-DD.');

/** Projects that were read together. */
interface ReadProjects {
  readonly projects: readonly ProjectDto[];
  /** Their releases with stale facts. */
  readonly stale: readonly DatedReleaseSummary[];
}

/** Reads projects by the stored facts of their releases. */
@Injectable()
export class ProjectViewService {
  constructor(
    private readonly projects: ProjectsQueries,
    private readonly summaries: ReleaseSummariesQueries,
    private readonly staleReleases: StaleReleasesService,
    private readonly clock: Clock,
  ) {}

  /** Returns the project and enqueues a refresh of its stale facts. Throws `not_found` if there is none. */
  async get(tx: TenantTransaction, id: string): Promise<ProjectDto> {
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
}

/** The maximum number of projects of a workspace. */
const MAX_PROJECTS = 1_000;

/** The changes of a project. A member that is absent keeps its value. */
type ProjectChanges = Partial<ProjectDetails>;

/** Creates, changes and deletes the projects of a workspace. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly links: ProjectLinksRepository,
    private readonly visibleProjects: ProjectViewService,
    private readonly clock: Clock,
  ) {}

  /** Throws `conflict` if another project has the name or the workspace has the maximum number of projects. */
  async create({ viewer }: Member, details: ProjectDetails): Promise<ProjectDto> {
    const [id, normalized] = [randomUUID(), normalize(details)];
    return this.database.asViewer(viewer, async (tx) => {
      await this.projects.lockNames(tx);
      if ((await this.projects.count(tx)) >= MAX_PROJECTS) throw projectLimitReached(MAX_PROJECTS);
      if (await this.projects.isTaken(tx, normalized.name, id)) throw nameTaken();
      await this.projects.create(tx, id, normalized, this.clock.now());
      return this.visibleProjects.get(tx, id);
    });
  }

  /**
   * Changes the given members only, so that concurrent changes of different members are all saved; for the same member the last
   * one wins. Throws `not_found`, and `conflict` if another project has the name.
   */
  async change({ viewer }: Member, id: string, changes: ProjectChanges): Promise<ProjectDto> {
    if (!isUuid(id)) throw projectNotFound();
    return this.database.asViewer(viewer, async (tx) => {
      if (changes.name !== undefined) await this.projects.lockNames(tx);
      const known = await this.projects.lock(tx, id);
      if (!known) throw projectNotFound();
      const { name = known.name, description = known.description, targetDate = known.targetDate } = changes;
      const normalized = normalize({ name, description, targetDate });
      if (changes.name !== undefined && (await this.projects.isTaken(tx, normalized.name, id))) throw nameTaken();
      if (!isDeepStrictEqual(normalized, known)) await this.projects.update(tx, id, normalized, this.clock.now());
      return this.visibleProjects.get(tx, id);
    });
  }

  /**
   * Deletes the project, but not the linked repositories. Throws `not_found`, and `forbidden` if it has a repository that the
   * member cannot read, because other members use it for that.
   */
  async remove({ viewer, orgId }: Member, id: string): Promise<void> {
    if (!isUuid(id)) throw projectNotFound();
    let hidden: readonly string[] = [];
    for (;;) {
      const readable = await this.database.asViewer(viewer, (tx) => this.links.listRepositories(tx, id));
      const others = await this.database.inTenant(orgId, async (tx) => {
        // A request that links a repository locks the project too.
        if (!(await this.projects.lock(tx, id))) throw projectNotFound();
        const linked = await this.links.listRepositories(tx, id);
        const found = linked.filter((repositoryId) => !readable.includes(repositoryId));
        if (found.length === 0) await this.projects.delete(tx, id);
        return found;
      });
      if (others.length === 0) return;
      // The member may be able to read a repository that was linked after the first read. The next round checks that.
      if (others.some((repositoryId) => hidden.includes(repositoryId))) throw projectHasHiddenRepository();
      hidden = others;
    }
  }
}

/** Removes surrounding white space. A blank description becomes null. */
function normalize({ name, description, targetDate }: ProjectDetails): ProjectDetails {
  if (targetDate !== null && !isCalendarDay(targetDate)) throw invalidTargetDate();
  return { name: name.trim(), description: description?.trim() || null, targetDate };
}

/** The maximum number of repositories of a project. */
const MAX_REPOSITORIES = 100;

/** Changes the repositories of projects, and their releases. */
@Injectable()
export class ProjectLinks {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly links: ProjectLinksRepository,
    private readonly visibleProjects: ProjectViewService,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a repository to a project or replaces its release. Throws `not_found` if the project, repository or release does not
   * exist or the user cannot read it, `conflict` if the project has the maximum number of repositories.
   */
  async link({ viewer, orgId }: Member, link: ProjectLink): Promise<ProjectDto> {
    const { projectId, repositoryId } = link;
    if (!isUuid(projectId)) throw projectNotFound();
    if (!isUuid(repositoryId)) throw repositoryNotFound();
    await this.database.asViewer(viewer, (tx) => this.assertVisible(tx, link));
    // Runs without a viewer, because repositories that the user cannot read count towards the limit too.
    await this.database.inTenant(orgId, async (tx) => {
      if (!(await this.projects.lock(tx, projectId))) throw projectNotFound();
      if (!(await this.links.upsert(tx, link))) return;
      if ((await this.links.count(tx, projectId)) > MAX_REPOSITORIES) throw repositoryLimitReached(MAX_REPOSITORIES);
      await this.projects.touch(tx, projectId, this.clock.now());
    });
    return this.database.asViewer(viewer, (tx) => this.visibleProjects.get(tx, projectId));
  }

  /** Throws `not_found` if the project has no such repository that the user can read. */
  async unlink({ viewer }: Member, projectId: string, repositoryId: string): Promise<void> {
    if (!isUuid(projectId)) throw projectNotFound();
    if (!isUuid(repositoryId)) throw notLinked();
    await this.database.asViewer(viewer, async (tx) => {
      // Locks the project before the link, as all transactions do, to prevent deadlocks.
      if (!(await this.projects.lock(tx, projectId))) throw projectNotFound();
      if (!(await this.links.delete(tx, projectId, repositoryId))) throw notLinked();
      await this.projects.touch(tx, projectId, this.clock.now());
    });
  }

  private async assertVisible(tx: TenantTransaction, link: ProjectLink): Promise<void> {
    const target = await this.links.findTarget(tx, link);
    if (!target) throw repositoryNotFound();
    if (link.releaseId !== null && !target.hasRelease) throw noSuchRelease();
  }
}

/** Projects per batch. Each may have a hundred repositories. */
const BATCH = 50;

/** Lists the projects of a workspace, last changed first. */
@Injectable()
export class ProjectList {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsQueries,
    private readonly visibleProjects: ProjectViewService,
    private readonly staleReleases: StaleReleasesService,
    private readonly summaries: ReleaseSummariesQueries,
    private readonly clock: Clock,
  ) {}

  /** Returns the project and enqueues a refresh of its stale facts. Throws `not_found` if there is none. */
  async get(viewer: Viewer, id: string): Promise<ProjectDto> {
    if (!isUuid(id)) throw projectNotFound();
    const { projects, stale } = await this.database.readOnlyAsViewer(viewer, (tx) =>
      this.visibleProjects.read(tx, [id]),
    );
    const [project] = projects;
    if (!project) throw projectNotFound();
    await this.staleReleases.enqueueRefreshOnRead(viewer.orgId, stale);
    return project;
  }

  /** Returns a page of stored projects and enqueues a refresh of their stale facts. */
  async readPage(viewer: Viewer, filter: ProjectFilter, page: PageRequest): Promise<Page<ProjectDto>> {
    const { projects, stale, total } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const found = await this.projects.find(tx, filter, page);
      return { ...(await this.visibleProjects.read(tx, found.ids)), total: found.total };
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
