import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { PlanRoom } from './plan-room.recorder.js';
import { ReposReader } from './repos.reader.js';
import { ViewedRepositories } from './viewed-repositories.reader.js';

@Module({
  imports: [EventsModule],
  providers: [PlanRoom, ReposReader, ViewedRepositories],
  exports: [PlanRoom, ReposReader, ViewedRepositories],
})
export class ReposModule {}
