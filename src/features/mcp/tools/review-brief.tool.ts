import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../../auth/caller.js';
import { SCAN_KINDS } from '../../../domain/evidence/evidence.js';
import { COMPARISON_STATUSES } from '../../../domain/quality/test-results.js';
import { ReviewBriefService } from '../../reviews/review-brief.service.js';
import { McpTool, type ToolResult } from '../mcp-tool.js';
import { NamedReleasesService } from '../named-releases.service.js';
import {
  FLAKY_TESTS_SHAPE,
  OVERRIDE_SHAPE,
  REPOSITORY_ARGUMENT,
  REVIEW_SHAPE,
  SCORECARD_SHAPE,
  TEST_CHANGE_SHAPE,
  TIMESTAMP_SHAPE,
  VERSION_ARGUMENT,
} from '../tool-schemas.js';

const INPUT = z.strictObject({ repo: REPOSITORY_ARGUMENT, version: VERSION_ARGUMENT });

const TEST_COUNTS_SHAPE = z.object({ passed: z.int(), failed: z.int(), skipped: z.int() });

const OUTPUT = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repo: z.string(),
  version: z.string(),
  candidateSha: z.string().nullable(),
  evidencePrUrl: z.string().nullable(),
  since: z
    .object({
      milestoneId: z.uuid(),
      version: z.string(),
      commitSha: z.string().nullable(),
      comparisonUrl: z.string().nullable(),
      changes: z
        .object({
          commits: z.int(),
          commitsComplete: z.boolean(),
          files: z.int(),
          filesComplete: z.boolean(),
          paths: z.array(z.string()),
        })
        .nullable(),
    })
    .nullable(),
  scope: z.object({
    status: z.enum(['current', 'unknown']),
    reason: z.string().nullable(),
    observedAt: TIMESTAMP_SHAPE.nullable(),
    open: z.int(),
    closed: z.int(),
    issues: z.array(
      z.object({
        number: z.int(),
        title: z.string(),
        state: z.enum(['open', 'closed']),
        owners: z.array(z.string()),
        labels: z.array(z.string()),
        url: z.string(),
      }),
    ),
  }),
  tests: z.object({
    now: TEST_COUNTS_SHAPE.nullable(),
    before: TEST_COUNTS_SHAPE.nullable(),
    change: TEST_CHANGE_SHAPE.nullable(),
    flaky: FLAKY_TESTS_SHAPE.nullable(),
    comparison: z.enum(COMPARISON_STATUSES),
  }),
  scorecard: SCORECARD_SHAPE,
  change: z.object({ score: z.number().nullable(), coverage: z.number().nullable() }).nullable(),
  newFindings: z
    .object({
      count: z.int(),
      findings: z.array(z.object({ label: z.string(), severity: z.string(), count: z.int() })),
      unidentified: z.int(),
    })
    .nullable(),
  scanChange: z.object({ lost: z.array(z.enum(SCAN_KINDS)), added: z.array(z.enum(SCAN_KINDS)) }).nullable(),
  overrides: z.array(OVERRIDE_SHAPE),
  ownReview: REVIEW_SHAPE.nullable(),
});

/** Returns what a reviewer of a release must know. */
@Injectable()
export class ReviewBriefTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly name = 'review_brief';
  override readonly title = 'Brief a reviewer';
  override readonly description =
    'Returns what a reviewer must know before approving: what changed `since` the release that shipped before (commits, files, tests, score, coverage, findings, kinds of scans), the issues, the scorecard, the overrides in effect, and the last review of the owner of the key (`ownReview`). If `tests.comparison` is `pending`, call again later.';
  override readonly scope = 'read';
  override readonly input = INPUT;
  override readonly output = OUTPUT;

  constructor(
    private readonly briefs: ReviewBriefService,
    private readonly names: NamedReleasesService,
  ) {
    super();
  }

  override async run(caller: PersonalKeyCaller, named: z.output<typeof INPUT>): Promise<ToolResult<typeof OUTPUT>> {
    return this.briefs.read(caller, await this.names.getStoredReleaseId(caller.viewer, named));
  }
}
