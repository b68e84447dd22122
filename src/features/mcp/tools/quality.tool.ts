import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { EVIDENCE_KINDS } from '../../../domain/evidence/evidence.js';
import { ITEM_STATUSES } from '../../../domain/evidence/evidence-status.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { COMPARISON_STATUSES } from '../../../domain/quality/test-results.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { LABEL_PATTERN } from '../../../http/validation/field.decorators.js';
import { RESULT_LISTINGS, toQualityFilter } from '../../quality/quality.dto.js';
import { QualityService } from '../../quality/quality.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { NamedReleasesService } from '../named-releases.service.js';
import {
  FLAKY_TESTS_SHAPE,
  PAGE_ARGUMENTS,
  PAGE_SHAPE,
  REPOSITORY_ARGUMENT,
  SCORECARD_SHAPE,
  TEST_CHANGE_SHAPE,
  TIMESTAMP_SHAPE,
  VERSION_ARGUMENT,
} from '../tool-schemas.js';

const LABEL = z.string().regex(LABEL_PATTERN, 'must have 1 to 100 characters');

const INPUT = z.strictObject({
  repo: REPOSITORY_ARGUMENT.optional(),
  version: VERSION_ARGUMENT.optional(),
  type: z.enum(EVIDENCE_KINDS).optional().describe('Only releases with a result of this type.'),
  environment: LABEL.optional().describe('Only releases with a result of this environment.'),
  results: z
    .enum(RESULT_LISTINGS)
    .default('all')
    .describe('With `none`, the results of each release are left out and `moreResults` counts all of them.'),
  ...PAGE_ARGUMENTS,
});

/** A release with its evidence and its quality. */
const RELEASE_GROUP_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repoId: z.uuid(),
  repo: z.string(),
  version: z.string(),
  stage: z.enum(STAGES),
  scorecard: SCORECARD_SHAPE,
  change: z
    .object({
      against: z.object({ milestoneId: z.uuid(), version: z.string() }),
      score: z.number().nullable(),
      coverage: z.number().nullable(),
      tests: TEST_CHANGE_SHAPE.nullable(),
    })
    .nullable(),
  flaky: FLAKY_TESTS_SHAPE.nullable(),
  comparison: z.enum(COMPARISON_STATUSES),
  earlierScores: z.array(z.number().nullable()).optional(),
  results: z.array(
    z.object({
      evidenceId: z.uuid(),
      type: z.enum(EVIDENCE_KINDS),
      environment: z.string(),
      pipeline: z.string(),
      commitSha: z.string(),
      metrics: z.record(z.string(), z.unknown()),
      status: z.enum(ITEM_STATUSES),
      decides: z.boolean(),
      createdAt: TIMESTAMP_SHAPE,
    }),
  ),
  moreResults: z.int(),
});

const OUTPUT = z.object({
  results: z.array(RELEASE_GROUP_SHAPE),
  choices: z.object({
    owners: z.array(z.string()),
    repos: z.array(z.string()),
    milestones: z.array(z.string()),
    types: z.array(z.enum(EVIDENCE_KINDS)),
    environments: z.array(z.string()),
  }),
  pagination: PAGE_SHAPE,
});

/** Lists the quality of releases. */
@Injectable()
export class QualityTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'quality';
  override readonly title = 'List the quality of releases';
  override readonly description =
    'Lists the releases with evidence, most recently received first, each with its scorecard (0 to 100, null if nothing was measured), its results (`decides`: the verdict uses it), the difference from the release that shipped before it, and its flaky tests. If `comparison` is `pending`, call again later.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly quality: QualityService,
    private readonly names: NamedReleasesService,
  ) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { page, pageSize, results, repo, version, ...query }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const request = { page, pageSize };
    const repository = repo === undefined ? null : await this.names.getStoredRepository(viewer, repo);
    if (repository && version !== undefined) await this.names.getReleaseIdIn(viewer, repository, version);
    const filter = toQualityFilter({
      ...query,
      ...(repository && { owner: repository.org, repo: repository.name }),
      ...(version !== undefined && { milestone: version }),
    });
    const { items, total, choices } = await this.quality.readPage(viewer, filter, request, results);
    return { results: items, choices, pagination: pageInfo(request, total) };
  }
}
