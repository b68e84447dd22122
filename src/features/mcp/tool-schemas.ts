import { z } from 'zod';
import { EVIDENCE_KINDS } from '../../domain/evidence/evidence.js';
import { ITEM_STATUSES } from '../../domain/evidence/evidence-status.js';
import type { AppliedOverride } from '../../domain/override/override.js';
import { CATEGORY_NAMES, CATEGORY_STATUSES } from '../../domain/quality/score-category.js';
import { GRADES } from '../../domain/quality/scorecard.js';
import { COMPARISON_STATUSES } from '../../domain/quality/test-results.js';
import { OUTCOMES, READINESS_STATUSES } from '../../domain/release/outcome.js';
import { type Condition, STAGES } from '../../domain/facts/condition.js';
import { MAX_PAGE, PAGE_SIZES } from '../../http/pagination/pagination.dto.js';
import type { NamedTests, ReleaseGroup } from '../quality/release-quality.js';
import type { ReleaseSummaryDto } from '../releases/lists/release-summaries.queries.js';

/** Something that still has to happen before a release may go on. */
export const CONDITION_SHAPE = z.object({
  code: z.string().describe('Stable, for programs.'),
  detail: z.string().describe('A sentence for people.'),
  actor: z
    .string()
    .describe('Who can clear it: team, ci, reviewer, deployer, admin, or service, which is Shipgate itself.'),
  url: z.string().optional().describe('Where it can be cleared.'),
});

export const shownConditions = (conditions: readonly Condition[]): z.input<typeof CONDITION_SHAPE>[] =>
  conditions.map(({ code, detail, actor, url }) => ({ code, detail, actor, ...(url !== undefined && { url }) }));

/** A moment in UTC. */
export const MOMENT_SHAPE = z.iso.datetime();

const shownMoment = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Something that two admins agreed to set aside. */
export const OVERRIDE_SHAPE = z.object({
  kind: z.enum(['waiver', 'break_glass']),
  id: z.uuid(),
  reason: z.string(),
  expiresAt: MOMENT_SHAPE,
  conditions: z.array(CONDITION_SHAPE).describe('What would keep the release back without it.'),
});

type ShownOverride = Pick<AppliedOverride, 'kind' | 'id' | 'reason' | 'expiresAt' | 'conditions'>;

export const shownOverride = ({
  kind,
  id,
  reason,
  expiresAt,
  conditions,
}: ShownOverride): z.input<typeof OVERRIDE_SHAPE> => ({
  kind,
  id,
  reason,
  expiresAt: expiresAt.toISOString(),
  conditions: shownConditions(conditions),
});

/** A release, as lists show it. */
export const RELEASE_SHAPE = z.object({
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
    .object({ status: z.enum(READINESS_STATUSES), observedAt: MOMENT_SHAPE.nullable() })
    .describe('By what is stored; `ready` alone counts.'),
  dueOn: MOMENT_SHAPE.nullable(),
  updatedAt: MOMENT_SHAPE,
  deployedAt: MOMENT_SHAPE.nullable(),
  cancelledAt: MOMENT_SHAPE.nullable(),
});

export const shownRelease = (card: ReleaseSummaryDto): z.input<typeof RELEASE_SHAPE> => ({
  milestoneId: card.milestoneId,
  org: card.org,
  repo: card.repo,
  version: card.version,
  title: card.title,
  stage: card.stage,
  outcome: card.outcome,
  blockers: shownConditions(card.blockers),
  moreBlockers: card.moreBlockers,
  candidateSha: card.candidateSha,
  evidencePrNumber: card.evidencePrNumber,
  evidencePrUrl: card.evidencePrUrl,
  milestoneUrl: card.milestoneUrl,
  milestoneNumber: card.milestoneNumber,
  issues: card.issues,
  readiness: { status: card.readiness.status, observedAt: shownMoment(card.readiness.observedAt) },
  dueOn: shownMoment(card.dueOn),
  updatedAt: card.updatedAt.toISOString(),
  deployedAt: shownMoment(card.deployedAt),
  cancelledAt: shownMoment(card.cancelledAt),
});

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
        status: z.enum(ITEM_STATUSES),
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

/** The arguments of every tool that answers a page of a list. */
export const PAGE_ARGUMENTS = {
  page: z.int().min(1).max(MAX_PAGE).default(1).describe('Which page; one past the last is empty.'),
  pageSize: z.literal(PAGE_SIZES).default(25).describe('How many a page holds.'),
};

/** Which page an answer holds, and how many there are. */
export const PAGE_SHAPE = z.object({
  page: z.int(),
  pageSize: z.int(),
  total: z.int().describe('All that match, not those on this page.'),
  pages: z.int().describe('1 also where nothing matches.'),
});

/** A repository as people name it. */
export const REPOSITORY_ARGUMENT = z
  .string()
  .regex(/^(?:[\w.-]{1,100}\/)?[\w.-]{1,100}$/)
  .describe('The repository, as `name` or `owner/name`.');

/** A release as its milestone is called. */
export const VERSION_ARGUMENT = z.string().min(1).max(100).describe('The version, exactly as the milestone is called.');

/** A text that is looked for as it stands, whatever its case. Counted as people count, so that an emoji is one. */
export const SEARCH_ARGUMENT = z.string().regex(/^.{1,200}$/su, 'search must have 1 to 200 characters');
