import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { UpkeepRepository } from './upkeep.repository.js';
import { Upkeep } from './upkeep.service.js';

@Module({ imports: [WorkspacesModule], providers: [Upkeep, UpkeepRepository] })
export class UpkeepModule {}
