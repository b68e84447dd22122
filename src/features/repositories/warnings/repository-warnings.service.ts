import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import { PlanRoom } from '../../../workspaces/repository-quota.repository.js';
import { RepositoryStateReader } from './repository-state.reader.js';
import { type RepositoryWarning, warningsOf } from './repository-warnings.js';

/** What keeps the repositories of a workspace from being governed as they should. */
@Injectable()
export class RepositoryWarnings {
  constructor(
    private readonly database: Database,
    private readonly states: RepositoryStateReader,
    private readonly clock: Clock,
    private readonly plan: PlanRoom,
  ) {}

  /** Of the repositories that the viewer may see, by name. */
  async list(viewer: Viewer): Promise<readonly RepositoryWarning[]> {
    const repositories = await this.database.asViewer(viewer, (tx) => this.states.list(tx));
    // Every managed repository takes a place, whoever may see it.
    const { used, limit } = await this.database.inTenant(viewer.orgId, (tx) => this.plan.use(tx));
    return warningsOf(repositories, limit !== null && used >= limit, this.clock.now());
  }
}
