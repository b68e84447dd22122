import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { OUTCOMES, READINESS_STATUSES } from '../../../domain/release/outcome.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { ReleaseListService } from '../../releases/lists/release-list.service.js';
import type { ReleaseSummaryDto } from '../../releases/lists/release-summaries.queries.js';
import { McpTool } from '../mcp-tool.js';
import {
  PAGE_ARGUMENTS,
  PAGE_SHAPE,
  SEARCH_ARGUMENT,
  CONDITION_SHAPE,
  TIMESTAMP_SHAPE,
  toConditions,
  toTimestamp,
} from '../tool-schemas.js';

const INPUT = z.strictObject({
  search: SEARCH_ARGUMENT.optional().describe(
    "A part of a version or of a repository's name; of `owner/name` where it has a slash.",
  ),
  outcome: z.enum(OUTCOMES).optional().describe('Only releases with this outcome; any where absent.'),
  ...PAGE_ARGUMENTS,
});

/** A release, as lists show it. */
const RELEASE_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repo: z.string().describe('Without its organization.'),
  version: z.string(),
  title: z
    .string()
    .describe('What the milestone is called now; it differs from the version where somebody renamed it.'),
  stage: z.enum(STAGES),
  outcome: z.enum(OUTCOMES).nullable().describe('Null where the release is shipped or cancelled.'),
  blockers: z.array(CONDITION_SHAPE).describe('The first of what keeps its gate closed.'),
  moreBlockers: z.int().describe('How many more there are.'),
  candidateSha: z.string().nullable().describe('The commit that would ship; null where there is none yet.'),
  evidencePrNumber: z.int().nullable(),
  evidencePrUrl: z.string().nullable(),
  milestoneUrl: z.string(),
  milestoneNumber: z.int(),
  issues: z.object({ open: z.int(), closed: z.int() }).nullable().describe('Null until they were read.'),
  readiness: z
    .object({ status: z.enum(READINESS_STATUSES), observedAt: TIMESTAMP_SHAPE.nullable() })
    .describe('By what is stored; `ready` alone counts.'),
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
    .describe('Of all that match the search, whatever the outcome and the page.'),
  pagination: PAGE_SHAPE,
});

/** Lists the active releases. */
@Injectable()
export class ListReleasesTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'list_releases';
  override readonly title = 'Releases on their way';
  override readonly description =
    'Lists the releases of the workspace that are neither shipped nor cancelled, those that changed last first, each with its stage, its outcome and the first of what keeps its gate closed. It answers what is stored; ask `explain_gate` before anything is deployed.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly dashboard: ReleaseListService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { search, outcome, ...page }: z.output<typeof INPUT>,
  ): Promise<z.input<typeof OUTPUT>> {
    const filter = { search: search ?? null, outcome: outcome ?? null };
    const { releases, counts } = await this.dashboard.listPage(viewer, filter, page);
    return {
      releases: releases.map(toRelease),
      counts,
      pagination: pageInfo(page, counts[outcome ?? 'all']),
    };
  }
}

const toRelease = (release: ReleaseSummaryDto): z.input<typeof RELEASE_SHAPE> => ({
  milestoneId: release.milestoneId,
  org: release.org,
  repo: release.repo,
  version: release.version,
  title: release.title,
  stage: release.stage,
  outcome: release.outcome,
  blockers: toConditions(release.blockers),
  moreBlockers: release.moreBlockers,
  candidateSha: release.candidateSha,
  evidencePrNumber: release.evidencePrNumber,
  evidencePrUrl: release.evidencePrUrl,
  milestoneUrl: release.milestoneUrl,
  milestoneNumber: release.milestoneNumber,
  issues: release.issues,
  readiness: { status: release.readiness.status, observedAt: toTimestamp(release.readiness.observedAt) },
  dueOn: toTimestamp(release.dueOn),
  updatedAt: release.updatedAt.toISOString(),
  deployedAt: toTimestamp(release.deployedAt),
  cancelledAt: toTimestamp(release.cancelledAt),
});
