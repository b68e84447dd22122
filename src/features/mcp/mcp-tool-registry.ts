import { Injectable } from '@nestjs/common';
import type { McpTool } from './mcp-tool.js';
import { ExplainGateTool } from './tools/explain-gate.tool.js';
import { HistoryTool } from './tools/history.tool.js';
import { ListReleasesTool } from './tools/list-releases.tool.js';
import { PendingReviewsTool } from './tools/pending-reviews.tool.js';
import { QualityTool } from './tools/quality.tool.js';
import { ScopeTool } from './tools/scope.tool.js';
import { SyncTool } from './tools/sync.tool.js';

/** The tools in the order of the list. */
@Injectable()
export class McpToolRegistry {
  readonly tools: readonly McpTool[];

  constructor(
    listReleases: ListReleasesTool,
    explainGate: ExplainGateTool,
    pendingReviews: PendingReviewsTool,
    history: HistoryTool,
    quality: QualityTool,
    scope: ScopeTool,
    sync: SyncTool,
  ) {
    this.tools = [listReleases, explainGate, pendingReviews, history, quality, scope, sync];
  }

  /** Returns the tool of this name, or null. */
  find(name: string): McpTool | null {
    return this.tools.find((tool) => tool.name === name) ?? null;
  }
}
