import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type Viewer } from '../../../database/database.js';
import type { Page, PageRequest } from '../../../http/pagination/pagination.dto.js';
import type { ReportedDeploymentDto, ReportedDeploymentsFilter } from './deployment-report.dto.js';
import { ReportedDeploymentsQueries } from './reported-deployments.queries.js';

/** Lists the deployments that CI systems reported. */
@Injectable()
export class ReportedDeploymentsService {
  constructor(
    private readonly database: Database,
    private readonly deployments: ReportedDeploymentsQueries,
    private readonly clock: Clock,
  ) {}

  /** Reads a page of those that the viewer can see, latest first. */
  async readPage(
    viewer: Viewer,
    filter: ReportedDeploymentsFilter,
    page: PageRequest,
  ): Promise<Page<ReportedDeploymentDto>> {
    return this.database.readOnlyAsViewer(viewer, (tx) =>
      this.deployments.readPage(tx, filter, page, this.clock.now()),
    );
  }
}
