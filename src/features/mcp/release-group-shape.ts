import { z } from 'zod';
import { EVIDENCE_KINDS } from '../../domain/evidence/evidence.js';
import { PIECE_STATUSES } from '../../domain/evidence/piece-status.js';
import { COMPARISON_STATUSES } from '../../domain/quality/comparison-status.js';
import { CATEGORY_NAMES, CATEGORY_STATUSES } from '../../domain/quality/score-category.js';
import { GRADES } from '../../domain/quality/scorecard.js';
import { STAGES } from '../../domain/release/stage.js';
import type { NamedTests, ReleaseGroup } from '../quality/release-group.js';
import { MOMENT_SHAPE } from './moment-shape.js';

const NAMED_SHAPE = z.object({ count: z.int(), names: z.array(z.string()).describe('The first 20 of them.') });

/** A release with its evidence and what that is worth. */
export const RELEASE_GROUP_SHAPE = z.object({
  milestoneId: z.uuid(),
  org: z.string(),
  repo: z.string().describe('Without its organization.'),
  version: z.string(),
  stage: z.enum(STAGES),
  scorecard: z.object({
    score: z.number().nullable().describe('0 to 100; null where nothing was measured.'),
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
    incomplete: z.array(z.enum(CATEGORY_NAMES)).describe('What was not measured: neither good nor bad.'),
    caps: z
      .array(z.object({ grade: z.enum(GRADES), reason: z.string() }))
      .describe('Why the grade is no better, whatever the categories say.'),
  }),
  change: z
    .object({
      against: z.object({ milestoneId: z.uuid(), version: z.string() }),
      score: z.number().nullable().describe('In points.'),
      coverage: z.number().nullable().describe('In points of line coverage.'),
      tests: z
        .object({
          newFailures: NAMED_SHAPE.describe('Tests that fail, and did not then.'),
          lostTests: NAMED_SHAPE.describe('Tests that ran then and do not run now.'),
        })
        .nullable(),
    })
    .nullable()
    .describe('Against the release of the repository that was shipped last before it; null where there is none.'),
  flaky: NAMED_SHAPE.extend({ rate: z.number().nullable().describe('Of all tests that ran, 0 to 1.') })
    .nullable()
    .describe('Tests that failed and passed at the same commit.'),
  comparison: z
    .enum(COMPARISON_STATUSES)
    .describe('Whether its tests were compared by name; where it is `pending`, ask again in a moment.'),
  results: z
    .array(
      z.object({
        evidenceId: z.uuid(),
        type: z.enum(EVIDENCE_KINDS),
        environment: z.string(),
        pipeline: z.string(),
        commitSha: z.string(),
        metrics: z.record(z.string(), z.unknown()),
        status: z.enum(PIECE_STATUSES),
        decides: z.boolean().describe('The verdict on the release rests on it.'),
        createdAt: MOMENT_SHAPE,
      }),
    )
    .describe('What decides and up to 200 others, the newest first.'),
  moreResults: z.int().describe('How many results are not among them.'),
});

export const shownGroup = (group: ReleaseGroup): z.input<typeof RELEASE_GROUP_SHAPE> => ({
  ...group,
  scorecard: {
    ...group.scorecard,
    categories: [...group.scorecard.categories],
    incomplete: [...group.scorecard.incomplete],
    caps: [...group.scorecard.caps],
  },
  change: group.change && {
    ...group.change,
    tests: group.change.tests && {
      newFailures: shownTests(group.change.tests.newFailures),
      lostTests: shownTests(group.change.tests.lostTests),
    },
  },
  flaky: group.flaky && { ...shownTests(group.flaky), rate: group.flaky.rate },
  results: group.results.map((result) => ({
    ...result,
    metrics: { ...result.metrics },
    createdAt: result.createdAt.toISOString(),
  })),
});

const shownTests = ({ count, names }: NamedTests): z.input<typeof NAMED_SHAPE> => ({ count, names: [...names] });
