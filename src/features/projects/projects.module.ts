import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { DashboardModule } from '../releases/dashboard.module.js';
import { ProjectCards } from './project-cards.reader.js';
import { ProjectLinksController } from './project-links.controller.js';
import { ProjectLinksRepository } from './project-links.repository.js';
import { ProjectLinks } from './project-links.service.js';
import { ProjectList } from './project-list.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { Projects } from './projects.service.js';
import { ShownProjects } from './shown-projects.service.js';

@Module({
  imports: [DashboardModule],
  controllers: [ProjectsController, ProjectLinksController],
  providers: [
    JsonListStream,
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
