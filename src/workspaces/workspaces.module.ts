import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ReadableRepositoriesService } from './readable-repositories.service.js';
import { RepositoriesRepository } from './repositories.repository.js';
import { RepositoryQuotaService } from './repository-quota.service.js';
import { WorkspacesQueries } from './workspaces.queries.js';

/** Provides the workspaces for code that runs before the tenant is known. Requires the database from the app. */
@Module({
  imports: [EventsModule],
  providers: [WorkspacesQueries, RepositoryQuotaService, RepositoriesRepository, ReadableRepositoriesService],
  exports: [WorkspacesQueries, RepositoryQuotaService, RepositoriesRepository, ReadableRepositoriesService],
})
export class WorkspacesModule {}
