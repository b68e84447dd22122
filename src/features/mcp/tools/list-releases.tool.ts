import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { OUTCOMES, READINESS_STATUSES, RELEASE_ORDERS } from '../../../domain/release/outcome.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { ReleaseListService } from '../../releases/lists/release-list.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { PAGE_ARGUMENTS, PAGE_SHAPE, SEARCH_ARGUMENT, CONDITION_SHAPE, TIMESTAMP_SHAPE } from '../tool-schemas.js';

const INPUT = z.strictObject({
  search: SEARCH_ARGUMENT.optional(),
  outcome: z.enum(OUTCOMES).optional().describe('Only releases with this outcome.'),
  sort: z
    .enum(RELEASE_ORDERS)
    .optional()
    .describe('The order. `urgency`: blocked ones first, then by due day. Default: `updated`, last changed first.'),
  ...PAGE_ARGUMENTS,
});

const USER_SHAPE = z.object({ login: z.string(), avatarUrl: z.string().nullable() });

/** A release in lists. */
const RELEASE_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repoId: z.uuid(),
  repo: z.string(),
  repoUrl: z.string(),
  version: z.string(),
  title: z.string(),
  stage: z.enum(STAGES),
  outcome: z.enum(OUTCOMES).nullable(),
  blockers: z.array(CONDITION_SHAPE.extend({ users: z.array(USER_SHAPE) })),
  moreBlockers: z.int(),
  candidateSha: z.string().nullable(),
  candidateUrl: z.string().nullable(),
  evidencePrNumber: z.int().nullable(),
  evidencePrUrl: z.string().nullable(),
  milestoneUrl: z.string(),
  milestoneNumber: z.int(),
  issues: z.object({ open: z.int(), closed: z.int() }).nullable(),
  readiness: z.object({
    status: z.enum(READINESS_STATUSES),
    observedAt: TIMESTAMP_SHAPE.nullable(),
    validUntil: TIMESTAMP_SHAPE.nullable(),
  }),
  dueOn: TIMESTAMP_SHAPE.nullable(),
  isOverdue: z.boolean(),
  dueFreeze: z.object({ from: z.string(), to: z.string(), reason: z.string() }).nullable(),
  updatedAt: TIMESTAMP_SHAPE,
  deployedAt: TIMESTAMP_SHAPE.nullable(),
  cancelledAt: TIMESTAMP_SHAPE.nullable(),
});

const OUTPUT = z.object({
  releases: z.array(RELEASE_SHAPE),
  counts: z.object({
    all: z.int(),
    blocked: z.int(),
    needs_approval: z.int(),
    ready_to_deploy: z.int(),
    in_progress: z.int(),
  }),
  pagination: PAGE_SHAPE,
});

/** Lists the active releases. */
@Injectable()
export class ListReleasesTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'list_releases';
  override readonly title = 'List active releases';
  override readonly description =
    'Lists the active releases of the workspace, each with its stage, its outcome and the first gate reasons (`blockers` with the `users` who can meet them, and `moreBlockers` for the number of the rest). `counts` are those of the search, whatever outcome and page. The values are stored ones; call `explain_gate` before a deployment.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly dashboard: ReleaseListService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { search, outcome, sort, ...page }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const filter = { search: search ?? null, outcome: outcome ?? null, order: sort ?? 'updated' } as const;
    const { releases, counts } = await this.dashboard.listPage(viewer, filter, page);
    return { releases, counts, pagination: pageInfo(page, counts[outcome ?? 'all']) };
  }
}
