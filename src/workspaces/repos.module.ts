import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { ViewedRepositories } from './readable-repositories.service.js';
import { ReposReader } from './repos.reader.js';
import { PlanRoom } from './repository-quota.repository.js';

@Module({
  imports: [EventsModule],
  providers: [PlanRoom, ReposReader, ViewedRepositories],
  exports: [PlanRoom, ReposReader, ViewedRepositories],
})
export class ReposModule {}
