import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { SCOPE_ACTIONS } from '../../../domain/release/scope-change.js';
import { ScopeService } from '../../releases/scope/scope.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { NamedReleasesService } from '../named-releases.service.js';
import { REPOSITORY_ARGUMENT, VERSION_ARGUMENT } from '../tool-schemas.js';

const MOST_ISSUES = 2 ** 31 - 1;

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT,
  version: VERSION_ARGUMENT,
  action: z
    .enum(SCOPE_ACTIONS)
    .describe(
      '`link` gives an open issue without a milestone that of the release, `unlink` takes it away; `assign` adds an owner to an issue of the release, `unassign` removes that owner alone.',
    ),
  number: z.int().min(1).max(MOST_ISSUES).describe('The number of the issue in its repository.'),
  assignee: z
    .string()
    .regex(/^[a-z\d][a-z\d_-]{0,99}(?:\[bot\])?$/i, 'must be a login of GitHub')
    .optional()
    .describe('The login of the owner. Only for `assign` and `unassign`.'),
});

const OUTPUT = z.object({
  saved: z.boolean(),
  synced: z.boolean(),
});

/** Changes the scope of a release as the owner of the key, on GitHub and in their name. */
@Injectable()
export class ScopeTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'scope';
  override readonly title = 'Change the scope of a release';
  override readonly description =
    'Links an issue to a release, unlinks it, or changes its owner. The change is made on GitHub in the name of the owner of the key, who needs the triage role in the repository. Repeating a change has no effect. Shipped releases cannot be changed. `synced` is false if the release is evaluated later.';
  override readonly scope = 'write';
  override readonly isDestructive = true;
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly changes: ScopeService,
    private readonly names: NamedReleasesService,
  ) {
    super();
  }

  override async run(
    caller: PersonalKeyCaller,
    { repo, version, assignee, ...change }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const releaseId = await this.names.getReleaseId(caller.viewer, { repo, version });
    return this.changes.change(caller, releaseId, { ...change, ...(assignee !== undefined && { assignee }) });
  }
}
