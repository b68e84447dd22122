import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { REVIEW_STATES } from '../../../domain/review/review-policy.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import type { PendingReview } from '../../reviews/review.js';
import { ReviewsService } from '../../reviews/reviews.service.js';
import { McpTool } from '../mcp-tool.js';
import { TIMESTAMP_SHAPE, PAGE_ARGUMENTS, PAGE_SHAPE } from '../tool-schemas.js';

const INPUT = z.strictObject({
  scope: z
    .enum(['mine', 'workspace'])
    .default('mine')
    .describe('`mine` are those alone that the owner of the key may give, by what is fresh and verified.'),
  ...PAGE_ARGUMENTS,
});

const REVIEW_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repo: z.string().describe('Without its organization.'),
  version: z.string(),
  evidencePrNumber: z.int().nullable(),
  evidencePrUrl: z.string().nullable(),
  eligibility: z
    .object({ status: z.enum(['eligible', 'ineligible', 'unknown']), login: z.string().nullable(), reason: z.string() })
    .describe('Whether an approval of the owner of the key counts.'),
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
  approvalEffects: z
    .object({ status: z.enum(['configured', 'unknown']), summary: z.string() })
    .describe('What an approval is for; it certifies no deployment.'),
  reviewState: z.enum(REVIEW_STATES),
  milestoneUrl: z.string().nullable(),
  updatedAt: TIMESTAMP_SHAPE,
});

const OUTPUT = z.object({
  reviews: z.array(REVIEW_SHAPE),
  workspaceTotal: z.int().describe('All that the owner of the key may see, whatever the scope and the page.'),
  unknown: z.int().describe('Those of them of which it is not known now whether the owner may give them.'),
  pagination: PAGE_SHAPE,
});

/** The evidence pull requests that wait for approvals. */
@Injectable()
export class PendingReviewsTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'pending_reviews';
  override readonly title = 'Reviews that wait';
  override readonly description =
    'Lists the releases whose evidence waits for approvals, those that changed last first, and says of each whether an approval of the owner of the key would count and why. Approvals are given by that person on the evidence pull request, never here.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly reviews: ReviewsService) {
    super();
  }

  override async run(
    { viewer, user }: PersonalKeyCaller,
    { scope, ...page }: z.output<typeof INPUT>,
  ): Promise<z.input<typeof OUTPUT>> {
    const asker = { viewer, reviewer: { userId: user.id, login: user.login } };
    const { reviews, total, workspaceTotal, unknown } = await this.reviews.readPage(asker, scope, page);
    return { reviews: reviews.map(toReview), workspaceTotal, unknown, pagination: pageInfo(page, total) };
  }
}

const toReview = ({ policy, updatedAt, ...review }: PendingReview): z.input<typeof REVIEW_SHAPE> => ({
  ...review,
  policy: policy && { ...policy, teams: [...policy.teams] },
  updatedAt: updatedAt.toISOString(),
});
