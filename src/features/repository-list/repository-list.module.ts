import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { SyncModule } from '../sync/sync.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { RepositoryCards } from './repository-cards.reader.js';
import { RepositoryListController } from './repository-list.controller.js';
import { RepositoryList } from './repository-list.service.js';
import { StaleSyncs } from './stale-syncs.reader.js';

@Module({
  imports: [SyncModule, WorkflowsModule],
  controllers: [RepositoryListController],
  providers: [JsonListStream, RepositoryCards, RepositoryList, StaleSyncs],
})
export class RepositoryListModule {}
