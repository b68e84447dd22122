import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { GivenUpJobsRepository } from './given-up-jobs.repository.js';
import { UpkeepRepository } from './upkeep.repository.js';
import { Upkeep } from './upkeep.service.js';

@Module({ imports: [WorkspacesModule], providers: [Upkeep, UpkeepRepository, GivenUpJobsRepository] })
export class UpkeepModule {}
