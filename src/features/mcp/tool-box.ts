import { Injectable } from '@nestjs/common';
import type { RemoteTool } from './mcp-tool.js';
import { ExplainGateTool } from './tools/explain-gate.tool.js';
import { HistoryTool } from './tools/history.tool.js';
import { ListReleasesTool } from './tools/list-releases.tool.js';
import { PendingReviewsTool } from './tools/pending-reviews.tool.js';
import { QualityTool } from './tools/quality.tool.js';
import { ScopeTool } from './tools/scope.tool.js';
import { SyncTool } from './tools/sync.tool.js';

/** The tools that there are, in the order in which they are listed. */
@Injectable()
export class ToolBox {
  readonly tools: readonly RemoteTool[];

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

  /** Null where there is none of this name. */
  find(name: string): RemoteTool | null {
    return this.tools.find((tool) => tool.name === name) ?? null;
  }
}
