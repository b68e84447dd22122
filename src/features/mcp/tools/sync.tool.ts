import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { Database, type Viewer } from '../../../database/database.js';
import { repositoryNotFound } from '../../../http/errors/domain-error.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { SyncService } from '../../sync/sync.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { REPOSITORY_ARGUMENT } from '../tool-schemas.js';

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT.optional().describe(
    'Only this repository, as `name` or `owner/name`. The default is all repositories.',
  ),
});

const OUTPUT = z.object({
  syncId: z
    .uuid()
    .describe('The id of a sync run that starts after this request and reads the requested repositories.'),
  status: z.enum(['running', 'waiting']).describe('`waiting`: it starts when the current run has ended.'),
});

/** Starts a sync of the workspace or of one repository. */
@Injectable()
export class SyncTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'sync';
  override readonly title = 'Start a sync with GitHub';
  override readonly description =
    'Starts reading the workspace, or one repository of it, from GitHub again, and returns at once. It changes nothing on GitHub.';
  override readonly scope = 'write';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly syncs: SyncService,
  ) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { repo }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const repositoryId = repo === undefined ? null : await this.findRepository(viewer, repo);
    const { id, status } = await this.syncs.start(viewer, repositoryId);
    return { syncId: id, status };
  }

  private async findRepository(viewer: Viewer, name: string): Promise<string> {
    const found = await this.database.asViewer(viewer, (tx) => this.repos.findByName(tx, name));
    if (!found) throw repositoryNotFound();
    return found.id;
  }
}
