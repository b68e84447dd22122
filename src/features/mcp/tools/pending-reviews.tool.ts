import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { ELIGIBILITY_STATUSES } from '../../../domain/review/eligibility.js';
import { REVIEW_STATES } from '../../../domain/review/review-policy.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { toReviewSelection } from '../../reviews/reviews.dto.js';
import { ReviewsService } from '../../reviews/reviews.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { PAGE_ARGUMENTS, PAGE_SHAPE, SEARCH_ARGUMENT, TIMESTAMP_SHAPE } from '../tool-schemas.js';

const INPUT = z.strictObject({
  scope: z
    .enum(['mine', 'workspace'])
    .optional()
    .describe(
      '`mine`, the default without `eligibility`: only reviews that the owner of the key can give, by fresh and verified facts.',
    ),
  eligibility: z.enum(ELIGIBILITY_STATUSES).optional().describe('Only reviews with this eligibility.'),
  search: SEARCH_ARGUMENT.optional(),
  ...PAGE_ARGUMENTS,
});

const REVIEW_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repoId: z.uuid(),
  repo: z.string(),
  version: z.string(),
  evidencePrNumber: z.int().nullable(),
  evidencePrUrl: z.string().nullable(),
  eligibility: z.object({ status: z.enum(ELIGIBILITY_STATUSES), login: z.string().nullable(), reason: z.string() }),
  policy: z
    .object({
      minApprovals: z.int(),
      teams: z.array(z.string()),
      deploymentTarget: z.string(),
      promotion: z.enum(['manual', 'auto']),
      requiresEvidenceApproval: z.boolean(),
    })
    .nullable(),
  policyStatus: z.enum(['available', 'unknown']),
  approvalEffects: z.object({ status: z.enum(['configured', 'unknown']), summary: z.string() }),
  reviewState: z.enum(REVIEW_STATES),
  approvals: z.object({ required: z.int().nullable(), given: z.int().nullable() }),
  lostTests: z.int().nullable(),
  waitingSince: TIMESTAMP_SHAPE.nullable(),
  milestoneUrl: z.string().nullable(),
  updatedAt: TIMESTAMP_SHAPE,
});

const OUTPUT = z.object({
  reviews: z.array(REVIEW_SHAPE),
  workspaceTotal: z.int(),
  unknown: z.int(),
  pagination: PAGE_SHAPE,
});

/** Lists the evidence pull requests that wait for approvals. */
@Injectable()
export class PendingReviewsTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'pending_reviews';
  override readonly title = 'List pending reviews';
  override readonly description =
    'Lists the releases whose evidence waits for approvals, last changed first, each with whether an approval of the owner of the key would count and why. `workspaceTotal` counts all that the owner can see, `unknown` those with an unknown eligibility. That user approves on the evidence pull request, never here.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly reviews: ReviewsService) {
    super();
  }

  override async run(
    { viewer, user }: PersonalKeyCaller,
    { page, pageSize, ...query }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const asker = { viewer, reviewer: { userId: user.id, login: user.login } };
    const request = { page, pageSize };
    const selection = toReviewSelection(query);
    const { total, ...list } = await this.reviews.listPage(asker, selection, request);
    return { ...list, pagination: pageInfo(request, total) };
  }
}
