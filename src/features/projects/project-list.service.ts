import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { Database, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { Page, PageRequest } from '../../http/pagination/page-request.js';
import { FreezesReader } from '../dashboard/freezes-in-force.reader.js';
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
    private readonly freezes: FreezesReader,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` where the workspace has none. */
  async get(viewer: Viewer, id: string): Promise<Project> {
    if (!isUuid(id)) throw noSuchProject();
    return this.database.asViewer(viewer, (tx) => this.shown.get(tx, id));
  }

  async readPage(viewer: Viewer, filter: ProjectFilter, page: PageRequest): Promise<Page<Project>> {
    return this.database.asViewer(viewer, async (tx) => {
      const { ids, total } = await this.cards.find(tx, filter, page);
      return { items: await this.shown.list(tx, ids), total };
    });
  }

  /** All that match at one moment; a transaction for each batch, as a reader may take hours over the whole. */
  async *readAll(viewer: Viewer, filter: ProjectFilter): AsyncGenerator<readonly Project[]> {
    const { ids } = await this.database.asViewer(viewer, (tx) => this.cards.find(tx, filter, null));
    for (let from = 0; from < ids.length; from += BATCH) {
      yield await this.database.asViewer(viewer, async (tx) => {
        const now = this.clock.now();
        const freezes = await this.freezes.listInForce(tx, now);
        return this.cards.list(tx, ids.slice(from, from + BATCH), { freezes, now });
      });
    }
  }
}
