import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { MembersModule } from '../accounts/members.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { DeploymentsModule } from './deployments.module.js';
import { DeploymentRecording } from './deployments/deployment-recording.service.js';
import { HistoryRecords } from './history-records.reader.js';
import { HistoryController } from './history.controller.js';
import { History } from './history.service.js';

@Module({
  imports: [AuditModule, DeploymentsModule, EventsModule, MembersModule, ReleasesModule, ReposModule],
  controllers: [HistoryController],
  providers: [DeploymentRecording, History, HistoryRecords, JsonListStream],
  exports: [History],
})
export class HistoryModule {}
