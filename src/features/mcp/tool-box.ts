import { Injectable } from '@nestjs/common';
import { ExplainGateTool } from './explain-gate.tool.js';
import { HistoryTool } from './history.tool.js';
import { ListReleasesTool } from './list-releases.tool.js';
import { PendingReviewsTool } from './pending-reviews.tool.js';
import { QualityTool } from './quality.tool.js';
import type { RemoteTool } from './remote-tool.js';
import { ScopeTool } from './scope.tool.js';
import { SyncTool } from './sync.tool.js';

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
