import type { McpTool } from './mcp-tool.js';

/** The tools in the order of the list. */
export class McpToolRegistry {
  constructor(readonly tools: readonly McpTool[]) {}

  /** Returns the tool of this name, or null. */
  find(name: string): McpTool | null {
    return this.tools.find((tool) => tool.name === name) ?? null;
  }
}
