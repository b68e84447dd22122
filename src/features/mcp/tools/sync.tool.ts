import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { SyncService } from '../../sync/sync.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { NamedReleasesService } from '../named-releases.service.js';
import { REPOSITORY_ARGUMENT } from '../tool-schemas.js';

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT.optional().describe(
    'Only this repository, as `name` or `owner/name`. The default is all repositories.',
  ),
});

const OUTPUT = z.object({
  syncId: z.uuid(),
  status: z.enum(['running', 'waiting']),
});

/** Starts a sync of the workspace or of one repository. */
@Injectable()
export class SyncTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'sync';
  override readonly title = 'Start a sync with GitHub';
  override readonly description =
    'Starts reading the workspace, or one repository of it, from GitHub again, and returns at once. It changes nothing on GitHub. With the status `waiting` it starts when the current run has ended.';
  override readonly scope = 'write';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly syncs: SyncService,
    private readonly names: NamedReleasesService,
  ) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { repo }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const repositoryId = repo === undefined ? null : (await this.names.getRepository(viewer, repo)).id;
    const { id, status } = await this.syncs.start(viewer, repositoryId);
    return { syncId: id, status };
  }
}
