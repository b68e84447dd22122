import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { GivenUpJobsRepository } from './given-up-jobs.repository.js';
import { Upkeep } from './retention.jobs.js';
import { UpkeepRepository } from './upkeep.repository.js';

@Module({ imports: [WorkspacesModule], providers: [Upkeep, UpkeepRepository, GivenUpJobsRepository] })
export class UpkeepModule {}
