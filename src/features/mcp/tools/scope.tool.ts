import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { SCOPE_ACTIONS } from '../../../domain/release/scope-change.js';
import { ScopeService } from '../../releases/scope/scope.service.js';
import { McpTool } from '../mcp-tool.js';

const MOST_ISSUES = 2 ** 31 - 1;

const INPUT = z.strictObject({
  milestoneId: z.uuid().describe('The id of the release.'),
  action: z
    .enum(SCOPE_ACTIONS)
    .describe(
      '`link` gives an open issue without a milestone that of the release, `unlink` takes it away; `assign` adds an owner to an issue of the release, `unassign` removes that owner alone.',
    ),
  number: z.int().min(1).max(MOST_ISSUES).describe('The number of the issue in its repository.'),
  assignee: z
    .string()
    .regex(/^[a-z\d][a-z\d_-]{0,99}(?:\[bot\])?$/i)
    .optional()
    .describe('The login of the owner: with `assign` and `unassign`, and with no other action.'),
});

const OUTPUT = z.object({
  saved: z.boolean().describe('GitHub has the change, or had it already.'),
  synced: z.boolean().describe('Whether the release was thought over with it; where not yet, that is under way.'),
});

/** Changes the scope of a release as the owner of the key, on GitHub and in their name. */
@Injectable()
export class ScopeTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'scope';
  override readonly title = 'Change the scope of a release';
  override readonly description =
    'Links an issue to a release or unlinks it, or changes who owns it. The change is made on GitHub in the name of the owner of the key, who needs triage of the repository there; asking again for what is so already does no harm. Shipped releases take no change.';
  override readonly scope = 'write';
  override readonly isDestructive = true;
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly changes: ScopeService) {
    super();
  }

  override async run(
    caller: PersonalKeyCaller,
    { milestoneId, action, number, assignee }: z.output<typeof INPUT>,
  ): Promise<z.input<typeof OUTPUT>> {
    return this.changes.change(caller, milestoneId, { action, number, assignee: assignee ?? null });
  }
}
