import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { Page, PageRequest } from '../../http/pagination/page-request.js';
import { FreezesReader } from '../releases/lists/freezes-in-force.reader.js';
import { ShownReleases } from '../releases/lists/stale-releases.service.js';
import type { Project } from './project.js';
import { ProjectCards, type ProjectFilter } from './project-cards.reader.js';
import { noSuchProject } from './project-refusal.js';
import { ShownProjects } from './shown-projects.service.js';

/** Each may have a hundred repositories. */
const BATCH = 50;

/** The projects of a workspace, those that changed last first. */
@Injectable()
export class ProjectList {
  constructor(
    private readonly database: Database,
    private readonly cards: ProjectCards,
    private readonly shown: ShownProjects,
    private readonly releases: ShownReleases,
    private readonly freezes: FreezesReader,
    private readonly clock: Clock,
  ) {}

  /** What of it is too old is read again in the background. Throws `not_found` where the workspace has none. */
  async get(viewer: Viewer, id: string): Promise<Project> {
    if (!isUuid(id)) throw noSuchProject();
    const { projects, aged } = await this.database.readAsViewer(viewer, (tx) => this.shown.read(tx, [id]));
    const [project] = projects;
    if (!project) throw noSuchProject();
    await this.releases.askAfterReading(viewer.orgId, aged);
    return project;
  }

  /** A page of what is stored; what of it is too old is read again in the background. */
  async readPage(viewer: Viewer, filter: ProjectFilter, page: PageRequest): Promise<Page<Project>> {
    const { projects, aged, total } = await this.database.readAsViewer(viewer, async (tx) => {
      const found = await this.cards.find(tx, filter, page);
      return { ...(await this.shown.read(tx, found.ids)), total: found.total };
    });
    await this.releases.askAfterReading(viewer.orgId, aged);
    return { items: projects, total };
  }

  /** All that match at one moment, read batch by batch, as a reader may take hours over the whole. */
  async *readAll(viewer: Viewer, filter: ProjectFilter): AsyncGenerator<readonly Project[]> {
    const { ids } = await this.database.readAsViewer(viewer, (tx) => this.cards.find(tx, filter, null));
    for (let from = 0; from < ids.length; from += BATCH) {
      yield await this.database.readAsViewer(viewer, async (tx) => {
        const now = this.clock.now();
        const freezes = await this.freezes.listInForce(tx, now);
        return this.cards.list(tx, ids.slice(from, from + BATCH), { freezes, now });
      });
    }
  }
}
