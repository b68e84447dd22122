import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ProjectLinksController, ProjectsController } from './projects.controller.js';
import { ProjectsQueries } from './projects.queries.js';
import { ProjectLinksRepository, ProjectsRepository } from './projects.repository.js';
import { ProjectLinks, ProjectList, ProjectsService, ProjectViewService } from './projects.service.js';

@Module({
  imports: [EventsModule, ReleasesModule],
  controllers: [ProjectsController, ProjectLinksController],
  providers: [
    ProjectsQueries,
    ProjectLinks,
    ProjectLinksRepository,
    ProjectList,
    ProjectsService,
    ProjectsRepository,
    ProjectViewService,
  ],
})
export class ProjectsModule {}
