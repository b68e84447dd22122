import { Module } from '@nestjs/common';
import { DashboardModule } from '../dashboard/dashboard.module.js';
import { HistoryModule } from '../history/history.module.js';
import { QualityModule } from '../quality/quality.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { ReviewsModule } from '../reviews/reviews.module.js';
import { ScopeModule } from '../scope/scope.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { ExplainGateTool } from './explain-gate.tool.js';
import { HistoryTool } from './history.tool.js';
import { ListReleasesTool } from './list-releases.tool.js';
import { McpController } from './mcp.controller.js';
import { PendingReviewsTool } from './pending-reviews.tool.js';
import { QualityTool } from './quality.tool.js';
import { ScopeTool } from './scope.tool.js';
import { SyncTool } from './sync.tool.js';
import { ToolBox } from './tool-box.js';
import { ToolExchanges } from './tool-exchanges.service.js';
import { ToolServers } from './tool-servers.js';

@Module({
  imports: [
    DashboardModule,
    HistoryModule,
    QualityModule,
    ReleasesModule,
    ReposModule,
    ReviewsModule,
    ScopeModule,
    SyncModule,
  ],
  controllers: [McpController],
  providers: [
    ExplainGateTool,
    HistoryTool,
    ListReleasesTool,
    PendingReviewsTool,
    QualityTool,
    ScopeTool,
    SyncTool,
    ToolBox,
    ToolExchanges,
    ToolServers,
  ],
})
export class McpModule {}
