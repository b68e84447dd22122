import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { OUTCOMES, READINESS_STATUSES } from '../../../domain/release/outcome.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { ReleaseListService } from '../../releases/lists/release-list.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { PAGE_ARGUMENTS, PAGE_SHAPE, SEARCH_ARGUMENT, CONDITION_SHAPE, TIMESTAMP_SHAPE } from '../tool-schemas.js';

const INPUT = z.strictObject({
  search: SEARCH_ARGUMENT.optional().describe(
    "A part of a version, of a repository's name, or of both, as in `catalog v0.9`; of `owner/name` where it has a slash.",
  ),
  outcome: z.enum(OUTCOMES).optional().describe('Only releases with this outcome.'),
  ...PAGE_ARGUMENTS,
});

/** A release in lists. */
const RELEASE_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repoId: z.uuid(),
  repo: z.string().describe('Without its organization.'),
  repoUrl: z.string(),
  version: z.string(),
  title: z
    .string()
    .describe('The current title of the milestone. It differs from the version if the milestone was renamed.'),
  stage: z.enum(STAGES),
  outcome: z.enum(OUTCOMES).nullable().describe('Null if the release is shipped or cancelled.'),
  blockers: z.array(CONDITION_SHAPE).describe('The first gate reasons.'),
  moreBlockers: z.int().describe('The number of further gate reasons.'),
  candidateSha: z.string().nullable().describe('The commit that would ship now, or null.'),
  candidateUrl: z.string().nullable(),
  evidencePrNumber: z.int().nullable(),
  evidencePrUrl: z.string().nullable(),
  milestoneUrl: z.string(),
  milestoneNumber: z.int(),
  issues: z.object({ open: z.int(), closed: z.int() }).nullable().describe('Null until they are read.'),
  readiness: z
    .object({
      status: z.enum(READINESS_STATUSES),
      observedAt: TIMESTAMP_SHAPE.nullable(),
      validUntil: TIMESTAMP_SHAPE.nullable().describe('When the status ends with time alone.'),
    })
    .describe('The stored answer of the gate. Only `ready` means that it was open.'),
  dueOn: TIMESTAMP_SHAPE.nullable(),
  updatedAt: TIMESTAMP_SHAPE,
  deployedAt: TIMESTAMP_SHAPE.nullable(),
  cancelledAt: TIMESTAMP_SHAPE.nullable(),
});

const OUTPUT = z.object({
  releases: z.array(RELEASE_SHAPE),
  counts: z
    .object({
      all: z.int(),
      blocked: z.int(),
      needs_approval: z.int(),
      ready_to_deploy: z.int(),
      in_progress: z.int(),
    })
    .describe('The number of releases that match the search, regardless of outcome and page.'),
  pagination: PAGE_SHAPE,
});

/** Lists the active releases. */
@Injectable()
export class ListReleasesTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'list_releases';
  override readonly title = 'List active releases';
  override readonly description =
    'Lists the active releases of the workspace, last changed first, each with its stage, its outcome and the first gate reasons. The values are stored ones; call `explain_gate` before a deployment.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly dashboard: ReleaseListService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { search, outcome, ...page }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const filter = { search: search ?? null, outcome: outcome ?? null };
    const { releases, counts } = await this.dashboard.listPage(viewer, filter, page);
    return { releases, counts, pagination: pageInfo(page, counts[outcome ?? 'all']) };
  }
}
