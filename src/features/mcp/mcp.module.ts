import { Module } from '@nestjs/common';
import { ReposModule } from '../../workspaces/repos.module.js';
import { HistoryModule } from '../history/history.module.js';
import { QualityModule } from '../quality/quality.module.js';
import { DashboardModule } from '../releases/dashboard.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ScopeModule } from '../releases/scope.module.js';
import { ReviewsModule } from '../reviews/reviews.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { McpController } from './mcp.controller.js';
import { ToolExchanges } from './mcp.service.js';
import { ToolBox } from './tool-box.js';
import { ToolServers } from './tool-servers.js';
import { ExplainGateTool } from './tools/explain-gate.tool.js';
import { HistoryTool } from './tools/history.tool.js';
import { ListReleasesTool } from './tools/list-releases.tool.js';
import { PendingReviewsTool } from './tools/pending-reviews.tool.js';
import { QualityTool } from './tools/quality.tool.js';
import { ScopeTool } from './tools/scope.tool.js';
import { SyncTool } from './tools/sync.tool.js';

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
