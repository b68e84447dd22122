import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list-stream.js';
import { AuditModule } from '../audit/audit.module.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { EventsModule } from '../events/events.module.js';
import { MembersModule } from '../members/members.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { DeploymentRecording } from './deployment-recording.service.js';
import { HistoryController } from './history.controller.js';
import { HistoryRecords } from './history-records.reader.js';
import { History } from './history.service.js';

@Module({
  imports: [AuditModule, DeploymentsModule, EventsModule, MembersModule, ReleasesModule, ReposModule],
  controllers: [HistoryController],
  providers: [DeploymentRecording, History, HistoryRecords, JsonListStream],
  exports: [History],
})
export class HistoryModule {}
