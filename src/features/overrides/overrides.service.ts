import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type Viewer } from '../../database/database.js';
import type { Page, PageRequest } from '../../http/pagination/pagination.dto.js';
import type { ListedOverrideDto, OverrideState } from './overrides.dto.js';
import { OverridesQueries } from './overrides.queries.js';

/** Lists the waivers and break-glass requests of all releases that the viewer can read. */
@Injectable()
export class OverridesService {
  constructor(
    private readonly database: Database,
    private readonly overrides: OverridesQueries,
    private readonly clock: Clock,
  ) {}

  /** A null state means all states. */
  async listPage(viewer: Viewer, state: OverrideState | null, page: PageRequest): Promise<Page<ListedOverrideDto>> {
    return this.database.readOnlyAsViewer(viewer, (tx) => this.overrides.listPage(tx, state, page, this.clock.now()));
  }
}
