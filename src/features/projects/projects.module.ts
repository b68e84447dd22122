import { Module } from '@nestjs/common';
import { ReleasesModule } from '../releases/releases.module.js';
import { ProjectLinksController, ProjectsController } from './projects.controller.js';
import { ProjectCards } from './projects.queries.js';
import { ProjectLinksRepository, ProjectsRepository } from './projects.repository.js';
import { ProjectLinks, ProjectList, Projects, ShownProjects } from './projects.service.js';

@Module({
  imports: [ReleasesModule],
  controllers: [ProjectsController, ProjectLinksController],
  providers: [
    ProjectCards,
    ProjectLinks,
    ProjectLinksRepository,
    ProjectList,
    Projects,
    ProjectsRepository,
    ShownProjects,
  ],
})
export class ProjectsModule {}
