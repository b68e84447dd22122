import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ArtifactsModule } from '../artifacts/artifacts.module.js';
import { AuditPackModule } from '../audit-pack/audit-pack.module.js';
import { HistoryModule } from '../history/history.module.js';
import { QualityModule } from '../quality/quality.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { ReviewsModule } from '../reviews/reviews.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { McpServerFactory } from './mcp-server-factory.js';
import type { McpTool } from './mcp-tool.js';
import { McpToolRegistry } from './mcp-tool-registry.js';
import { McpService } from './mcp.service.js';
import { NamedReleasesService } from './named-releases.service.js';
import { ApprovalRecordTool } from './tools/approval-record.tool.js';
import { ExplainGateTool } from './tools/explain-gate.tool.js';
import { HistoryTool } from './tools/history.tool.js';
import { ListReleasesTool } from './tools/list-releases.tool.js';
import { PendingReviewsTool } from './tools/pending-reviews.tool.js';
import { QualityTool } from './tools/quality.tool.js';
import { ReviewBriefTool } from './tools/review-brief.tool.js';
import { ScopeTool } from './tools/scope.tool.js';
import { SyncTool } from './tools/sync.tool.js';

/** The tools in the order of the list. */
const TOOLS = [
  ListReleasesTool,
  ExplainGateTool,
  PendingReviewsTool,
  ReviewBriefTool,
  HistoryTool,
  ApprovalRecordTool,
  QualityTool,
  ScopeTool,
  SyncTool,
];

/**
 * Assistants read and change releases with the tools of the Model Context Protocol. Each tool calls the service of a
 * feature with the rights of its user. Begin at `mcp-server-factory.ts`. `tools/` has one file for each tool. The library of
 * the protocol is loaded with the first message.
 */
@Module({
  imports: [
    ArtifactsModule,
    AuditPackModule,
    ReleasesModule,
    HistoryModule,
    QualityModule,
    WorkspacesModule,
    ReviewsModule,
    SyncModule,
  ],
  providers: [
    ...TOOLS,
    {
      provide: McpToolRegistry,
      inject: TOOLS,
      useFactory: (...tools: readonly McpTool[]) => new McpToolRegistry(tools),
    },
    McpService,
    McpServerFactory,
    NamedReleasesService,
  ],
})
export class RemoteToolsModule {}
