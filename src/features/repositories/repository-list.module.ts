import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { RepositoryListController } from './list/repositories.controller.js';
import { RepositoryCards } from './list/repository-cards.reader.js';
import { RepositoryList } from './list/repository-list.service.js';
import { StaleSyncs } from './list/stale-syncs.reader.js';
import { RepositoryStateReader } from './warnings/repository-state.reader.js';
import { RepositoryWarningsController } from './warnings/repository-warnings.controller.js';
import { RepositoryWarnings } from './warnings/repository-warnings.service.js';
import { WorkflowsModule } from './workflows.module.js';

@Module({
  imports: [ReposModule, WorkflowsModule],
  controllers: [RepositoryListController, RepositoryWarningsController],
  providers: [JsonListStream, RepositoryCards, RepositoryList, RepositoryStateReader, RepositoryWarnings, StaleSyncs],
})
export class RepositoryListModule {}
