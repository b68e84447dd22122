/** What somebody is told whose project cannot be so: each sentence says what to do next, where there is something to do. */
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
import { type Project, ProjectsQueries, type ProjectDetails, type ProjectFilter } from './projects.queries.js';
import { type ProjectLink, ProjectLinksRepository, ProjectsRepository } from './projects.repository.js';

const projectNotFound = (): DomainError => new DomainError('not_found', 'The workspace has no such project.');

const noSuchRelease = (): DomainError =>
  new DomainError('not_found', 'The repository has no such release, or it was deleted.');

const notLinked = (): DomainError =>
  new DomainError('not_found', 'The project has no such repository, or the person may not read it.');

const holdsHiddenRepository = (): DomainError =>
  new DomainError(
    'forbidden',
    'The project also has repositories that you may not read on GitHub: only somebody who may read all of them deletes it.',
  );

const nameTaken = (): DomainError =>
  new DomainError('conflict', 'Another project of the workspace has this name: choose another one.');

const projectLimitReached = (most: number): DomainError =>
  new DomainError('conflict', `The workspace has ${most} projects and may have no more: delete one first.`);

const tooManyRepositories = (most: number): DomainError =>
  new DomainError(
    'conflict',
    `The project has ${most} repositories, those included that you may not read, and may have no more.`,
  );

const noSuchDay = (): DomainError =>
  new DomainError('invalid', 'targetDate must be a day of the calendar, as YYYY-MM-DD.');

/** Projects as they were read. */
interface ReadProjects {
  readonly projects: readonly Project[];
  /** Those of their releases that are shown by facts which are too old. */
  readonly aged: readonly DatedReleaseSummary[];
}

/** Projects by what is stored of their releases. */
@Injectable()
export class ShownProjects {
  constructor(
    private readonly cards: ProjectsQueries,
    private readonly freezes: ReleaseSummariesQueries,
    private readonly shown: StaleReleasesService,
    private readonly clock: Clock,
  ) {}

  /** What of the project is too old is read again in the background. Throws `not_found` where the workspace has none. */
  async get(tx: TenantTransaction, id: string): Promise<Project> {
    const { projects, aged } = await this.read(tx, [id]);
    const [project] = projects;
    if (!project) throw projectNotFound();
    await this.shown.enqueueRefresh(tx, aged);
    return project;
  }

  /** Those of the projects that there are, in the order of the ids; whoever shows them has what is too old read again. */
  async read(tx: TenantTransaction, ids: readonly string[]): Promise<ReadProjects> {
    const now = this.clock.now();
    const freezes = await this.freezes.listInForce(tx, now);
    const { projects, agedReleaseIds } = await this.cards.listDated(tx, ids, { freezes, now });
    return { projects, aged: await this.freezes.listDated(tx, agedReleaseIds, freezes, now) };
  }
}

/** How many projects a workspace may have. */
const MAX_PROJECTS = 1_000;

/** What is to be said of a project from now on; what is absent stays as it is. */
type ProjectChanges = Partial<ProjectDetails>;

/** Makes, changes and deletes the projects of a workspace. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly links: ProjectLinksRepository,
    private readonly shown: ShownProjects,
    private readonly clock: Clock,
  ) {}

  /** Throws `conflict` where another one has the name, or the workspace as many as it may. */
  async create({ viewer }: Member, details: ProjectDetails): Promise<Project> {
    const [id, wanted] = [randomUUID(), tidied(details)];
    return this.database.asViewer(viewer, async (tx) => {
      await this.projects.lockNames(tx);
      if ((await this.projects.count(tx)) >= MAX_PROJECTS) throw projectLimitReached(MAX_PROJECTS);
      if (await this.projects.isTaken(tx, wanted.name, id)) throw nameTaken();
      await this.projects.add(tx, id, wanted, this.clock.now());
      return this.shown.get(tx, id);
    });
  }

  /**
   * Of two changes at once each keeps what it names, and of the same the later one stays. Throws `not_found`, and
   * `conflict` where another project has the name.
   */
  async change({ viewer }: Member, id: string, changes: ProjectChanges): Promise<Project> {
    if (!isUuid(id)) throw projectNotFound();
    return this.database.asViewer(viewer, async (tx) => {
      if (changes.name !== undefined) await this.projects.lockNames(tx);
      const known = await this.projects.lock(tx, id);
      if (!known) throw projectNotFound();
      const { name = known.name, description = known.description, targetDate = known.targetDate } = changes;
      const wanted = tidied({ name, description, targetDate });
      if (changes.name !== undefined && (await this.projects.isTaken(tx, wanted.name, id))) throw nameTaken();
      if (!isDeepStrictEqual(wanted, known)) await this.projects.update(tx, id, wanted, this.clock.now());
      return this.shown.get(tx, id);
    });
  }

  /**
   * Takes the project away, and nothing of what was linked to it. Throws `not_found`, and `forbidden` where it has a
   * repository that the member may not read: others made it for what is hidden here.
   */
  async remove({ viewer, orgId }: Member, id: string): Promise<void> {
    if (!isUuid(id)) throw projectNotFound();
    let unread: readonly string[] = [];
    for (;;) {
      const readable = await this.database.asViewer(viewer, (tx) => this.links.listRepositories(tx, id));
      const others = await this.database.inTenant(orgId, async (tx) => {
        // A request that links a repository holds the project too.
        if (!(await this.projects.lock(tx, id))) throw projectNotFound();
        const linked = await this.links.listRepositories(tx, id);
        const found = linked.filter((repositoryId) => !readable.includes(repositoryId));
        if (found.length === 0) await this.projects.remove(tx, id);
        return found;
      });
      if (others.length === 0) return;
      // A repository that was linked since the first read may be readable: the next read tells.
      if (others.some((repositoryId) => unread.includes(repositoryId))) throw holdsHiddenRepository();
      unread = others;
    }
  }
}

/** White space around a text is no part of it, and a description of nothing else is none. */
function tidied({ name, description, targetDate }: ProjectDetails): ProjectDetails {
  if (targetDate !== null && !isCalendarDay(targetDate)) throw noSuchDay();
  return { name: name.trim(), description: description?.trim() || null, targetDate };
}

/** How many repositories a project may have. */
const MAX_REPOSITORIES = 100;

/** Which repositories, and which release of each, belong to a project. */
@Injectable()
export class ProjectLinks {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly links: ProjectLinksRepository,
    private readonly shown: ShownProjects,
    private readonly clock: Clock,
  ) {}

  /**
   * Puts a repository into a project, or another release of it in the place of the one that the project awaits. Throws
   * `not_found` for what there is not or the person may not read, `conflict` where the project has as many as it may.
   */
  async link({ viewer, orgId }: Member, link: ProjectLink): Promise<Project> {
    const { projectId, repositoryId } = link;
    if (!isUuid(projectId)) throw projectNotFound();
    if (!isUuid(repositoryId)) throw repositoryNotFound();
    await this.database.asViewer(viewer, (tx) => this.refuseUnknown(tx, link));
    // As nobody in particular: repositories that the person may not read count for the limit too.
    await this.database.inTenant(orgId, async (tx) => {
      if (!(await this.projects.lock(tx, projectId))) throw projectNotFound();
      if (!(await this.links.put(tx, link))) return;
      if ((await this.links.count(tx, projectId)) > MAX_REPOSITORIES) throw tooManyRepositories(MAX_REPOSITORIES);
      await this.projects.touch(tx, projectId, this.clock.now());
    });
    return this.database.asViewer(viewer, (tx) => this.shown.get(tx, projectId));
  }

  /** Throws `not_found` where the project has no such repository that the person may read. */
  async unlink({ viewer }: Member, projectId: string, repositoryId: string): Promise<void> {
    if (!isUuid(projectId)) throw projectNotFound();
    if (!isUuid(repositoryId)) throw notLinked();
    await this.database.asViewer(viewer, async (tx) => {
      // Before the link, as everybody takes them, so that nobody waits for each other.
      if (!(await this.projects.lock(tx, projectId))) throw projectNotFound();
      if (!(await this.links.remove(tx, projectId, repositoryId))) throw notLinked();
      await this.projects.touch(tx, projectId, this.clock.now());
    });
  }

  private async refuseUnknown(tx: TenantTransaction, link: ProjectLink): Promise<void> {
    const target = await this.links.findTarget(tx, link);
    if (!target) throw repositoryNotFound();
    if (link.releaseId !== null && !target.hasRelease) throw noSuchRelease();
  }
}

/** Each may have a hundred repositories. */
const BATCH = 50;

/** The projects of a workspace, those that changed last first. */
@Injectable()
export class ProjectList {
  constructor(
    private readonly database: Database,
    private readonly cards: ProjectsQueries,
    private readonly shown: ShownProjects,
    private readonly releases: StaleReleasesService,
    private readonly freezes: ReleaseSummariesQueries,
    private readonly clock: Clock,
  ) {}

  /** What of it is too old is read again in the background. Throws `not_found` where the workspace has none. */
  async get(viewer: Viewer, id: string): Promise<Project> {
    if (!isUuid(id)) throw projectNotFound();
    const { projects, aged } = await this.database.readOnlyAsViewer(viewer, (tx) => this.shown.read(tx, [id]));
    const [project] = projects;
    if (!project) throw projectNotFound();
    await this.releases.askAfterReading(viewer.orgId, aged);
    return project;
  }

  /** A page of what is stored; what of it is too old is read again in the background. */
  async readPage(viewer: Viewer, filter: ProjectFilter, page: PageRequest): Promise<Page<Project>> {
    const { projects, aged, total } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const found = await this.cards.find(tx, filter, page);
      return { ...(await this.shown.read(tx, found.ids)), total: found.total };
    });
    await this.releases.askAfterReading(viewer.orgId, aged);
    return { items: projects, total };
  }

  /** All that match at one moment, read batch by batch, as a reader may take hours over the whole. */
  async *readAll(viewer: Viewer, filter: ProjectFilter): AsyncGenerator<readonly Project[]> {
    const { ids } = await this.database.readOnlyAsViewer(viewer, (tx) => this.cards.find(tx, filter, null));
    for (let from = 0; from < ids.length; from += BATCH) {
      yield await this.database.readOnlyAsViewer(viewer, async (tx) => {
        const now = this.clock.now();
        const freezes = await this.freezes.listInForce(tx, now);
        return this.cards.list(tx, ids.slice(from, from + BATCH), { freezes, now });
      });
    }
  }
}
