import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectLinksController } from './project-links.controller.js';
import { ProjectsQueries } from './projects.queries.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { ProjectViewService } from './project-view.service.js';

/**
 * Teams group repositories that ship together. A project shows their releases side by side, and no rule of the gate
 * reads it. Begin at `projects.service.ts`.
 */
@Module({
  imports: [EventsModule, ReleasesModule],
  controllers: [ProjectsController, ProjectLinksController],
  providers: [ProjectsQueries, ProjectsService, ProjectsRepository, ProjectViewService],
})
export class ProjectsModule {}
