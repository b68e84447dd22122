import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { EVIDENCE_KINDS } from '../../../domain/evidence/evidence.js';
import { ITEM_STATUSES } from '../../../domain/evidence/evidence-status.js';
import { STAGES } from '../../../domain/facts/condition.js';
import { CATEGORY_NAMES, CATEGORY_STATUSES } from '../../../domain/quality/score-category.js';
import { GRADES } from '../../../domain/quality/scorecard.js';
import { COMPARISON_STATUSES } from '../../../domain/quality/test-results.js';
import { pageInfo } from '../../../http/pagination/pagination.dto.js';
import { LABEL_PATTERN } from '../../../http/validation/field.decorators.js';
import { RESULT_LISTINGS, toQualityFilter } from '../../quality/quality.dto.js';
import { QualityService } from '../../quality/quality.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { PAGE_ARGUMENTS, PAGE_SHAPE, TIMESTAMP_SHAPE } from '../tool-schemas.js';

const NAME_PATTERN = z.string().regex(/^[\w.-]{1,100}$/, 'must be a name without a slash');
const LABEL = z.string().regex(LABEL_PATTERN, 'must have 1 to 100 characters');

const INPUT = z.strictObject({
  owner: NAME_PATTERN.optional().describe('Only of this organization.'),
  repo: NAME_PATTERN.optional().describe('Only of this repository, without its organization.'),
  milestone: LABEL.optional().describe('Only this version, exactly.'),
  type: z.enum(EVIDENCE_KINDS).optional().describe('Only releases with a result of this type.'),
  environment: LABEL.optional().describe('Only releases with a result of this environment.'),
  results: z
    .enum(RESULT_LISTINGS)
    .default('all')
    .describe('With `none`, the results of each release are left out and `moreResults` counts all of them.'),
  ...PAGE_ARGUMENTS,
});

const NAMED_SHAPE = z.object({ count: z.int(), names: z.array(z.string()).describe('The first 20 of them.') });

/** A release with its evidence and its quality. */
const RELEASE_GROUP_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repoId: z.uuid(),
  repo: z.string().describe('Without its organization.'),
  version: z.string(),
  stage: z.enum(STAGES),
  scorecard: z.object({
    score: z.number().nullable().describe('0 to 100; null if nothing was measured.'),
    grade: z.enum(GRADES).nullable(),
    categories: z.array(
      z.object({
        name: z.enum(CATEGORY_NAMES),
        weight: z.int(),
        score: z.number().nullable(),
        status: z.enum(CATEGORY_STATUSES),
        detail: z.string(),
      }),
    ),
    incomplete: z
      .array(z.enum(CATEGORY_NAMES))
      .describe('The categories that were not measured. They do not change the score.'),
    caps: z
      .array(z.object({ grade: z.enum(GRADES), reason: z.string() }))
      .describe('The reasons that limit the grade regardless of the score.'),
  }),
  change: z
    .object({
      against: z.object({ milestoneId: z.uuid(), version: z.string() }),
      score: z.number().nullable().describe('In points.'),
      coverage: z.number().nullable().describe('In percentage points of line coverage.'),
      tests: z
        .object({
          newFailures: NAMED_SHAPE.describe('Tests that fail now and did not fail in the predecessor.'),
          lostTests: NAMED_SHAPE.describe('Tests that ran in the predecessor and do not run now.'),
        })
        .nullable(),
    })
    .nullable()
    .describe(
      'The difference from the predecessor, the release of the repository that shipped last before; null if there is none.',
    ),
  flaky: NAMED_SHAPE.extend({ rate: z.number().nullable().describe('The share of all tests that ran, from 0 to 1.') })
    .nullable()
    .describe('Tests that failed and passed at the same commit.'),
  comparison: z
    .enum(COMPARISON_STATUSES)
    .describe('Whether its tests were compared by name. `pending`: the comparison is queued; call again later.'),
  results: z
    .array(
      z.object({
        evidenceId: z.uuid(),
        type: z.enum(EVIDENCE_KINDS),
        environment: z.string(),
        pipeline: z.string(),
        commitSha: z.string(),
        metrics: z.record(z.string(), z.unknown()),
        status: z.enum(ITEM_STATUSES),
        decides: z.boolean().describe('Whether the verdict on the release uses it.'),
        createdAt: TIMESTAMP_SHAPE,
      }),
    )
    .describe('The items that the verdict uses and up to 200 others, newest first.'),
  moreResults: z.int().describe('The number of further results.'),
});

const OUTPUT = z.object({
  results: z.array(RELEASE_GROUP_SHAPE),
  choices: z
    .object({
      owners: z.array(z.string()),
      repos: z.array(z.string()),
      milestones: z.array(z.string()),
      types: z.array(z.enum(EVIDENCE_KINDS)),
      environments: z.array(z.string()),
    })
    .describe('The values of the arguments that match at least one release.'),
  pagination: PAGE_SHAPE,
});

/** Lists the quality of releases. */
@Injectable()
export class QualityTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'quality';
  override readonly title = 'List the quality of releases';
  override readonly description =
    'Lists the releases with evidence, most recently received first, each with its scorecard, its results, the difference from its predecessor, and its flaky tests.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(private readonly quality: QualityService) {
    super();
  }

  override async run(
    { viewer }: PersonalKeyCaller,
    { page, pageSize, results, ...query }: z.output<typeof INPUT>,
  ): Promise<ToolResult<typeof OUTPUT>> {
    const request = { page, pageSize };
    const { items, total, choices } = await this.quality.readPage(viewer, toQualityFilter(query), request, results);
    return { results: items, choices, pagination: pageInfo(request, total) };
  }
}
