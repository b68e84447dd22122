import { z } from 'zod';
import { DEPLOYMENT_RECORD_KINDS, DEPLOYMENT_SOURCES } from '../../domain/history/deployment.js';
import { POLICY_SOURCES } from '../../domain/policy/policy.js';
import { CATEGORY_NAMES, CATEGORY_STATUSES } from '../../domain/quality/score-category.js';
import { GRADES } from '../../domain/quality/scorecard.js';
import { MAX_PAGE, PAGE_SIZES } from '../../http/pagination/pagination.dto.js';

/** A condition that is not met: a code for programs, a sentence for users, and who can clear it. */
export const CONDITION_SHAPE = z.object({
  code: z.string(),
  detail: z.string(),
  actor: z.string(),
  url: z.string().optional(),
  source: z.enum(POLICY_SOURCES).optional(),
  endsAt: z.string().optional(),
});

/** A timestamp in UTC. A result has it as a date, and its reduction as a text. */
export const TIMESTAMP_SHAPE = z.preprocess(
  (at: Date | string) => (at instanceof Date ? at.toISOString() : at),
  z.iso.datetime(),
);

/** A waiver or a break-glass request, with the conditions that it sets aside. */
export const OVERRIDE_SHAPE = z.object({
  kind: z.enum(['waiver', 'break_glass']),
  id: z.uuid(),
  reason: z.string(),
  expiresAt: TIMESTAMP_SHAPE,
  conditions: z.array(CONDITION_SHAPE),
});

/** The last review of a user, and whether it counts. */
export const REVIEW_SHAPE = z.object({
  login: z.string(),
  state: z.string(),
  commitSha: z.string().nullable(),
  submittedAt: z.string(),
  counts: z.boolean(),
  reason: z.string().nullable(),
});

/** A deployment to the target of a repository. */
export const DEPLOYMENT_SHAPE = z.object({
  id: z.uuid(),
  milestoneId: z.uuid().nullable(),
  org: z.string(),
  repoId: z.uuid(),
  repo: z.string(),
  repoUrl: z.string(),
  version: z.string().nullable(),
  kind: z.enum(DEPLOYMENT_RECORD_KINDS),
  candidateSha: z.string(),
  candidateUrl: z.string(),
  environment: z.string(),
  deployedAt: TIMESTAMP_SHAPE,
  deployedBy: z.string().nullable(),
  approvers: z.array(z.string()),
  decisionId: z.uuid().nullable(),
  score: z.number().nullable(),
  leadTimeSeconds: z.int().nullable(),
  overrides: z.array(OVERRIDE_SHAPE.extend({ requestedBy: z.string(), confirmedBy: z.string() })),
  source: z.enum(DEPLOYMENT_SOURCES),
  keyName: z.string().nullable(),
  runUrl: z.string().nullable(),
  note: z.string().nullable(),
});

/** The quality of a release: a score from 0 to 100, by categories. */
export const SCORECARD_SHAPE = z.object({
  score: z.number().nullable(),
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
  incomplete: z.array(z.enum(CATEGORY_NAMES)),
  caps: z.array(z.object({ grade: z.enum(GRADES), reason: z.string() })),
});

const TEST_SAMPLE_SHAPE = z.object({ count: z.int(), names: z.array(z.string()) });

/** The tests that differ from those of the release that shipped before. */
export const TEST_CHANGE_SHAPE = z.object({
  newFailures: TEST_SAMPLE_SHAPE,
  fixedTests: TEST_SAMPLE_SHAPE,
  lostTests: TEST_SAMPLE_SHAPE,
});

/** The tests that failed and passed at one commit. */
export const FLAKY_TESTS_SHAPE = TEST_SAMPLE_SHAPE.extend({ rate: z.number().nullable() });

/** The arguments of every tool with pages. */
export const PAGE_ARGUMENTS = {
  page: z.int().min(1).max(MAX_PAGE).default(1).describe('A page after the last one is empty.'),
  pageSize: z.literal(PAGE_SIZES).default(25),
};

/** The page of an answer. There is one page if there are no matches. */
export const PAGE_SHAPE = z.object({
  page: z.int(),
  pageSize: z.int(),
  total: z.int(),
  pages: z.int(),
});

/** The name of a repository, with or without its owner. */
export const REPOSITORY_ARGUMENT = z
  .string()
  .regex(/^(?:[\w.-]{1,100}\/)?[\w.-]{1,100}$/, 'must be the name of a repository, as `name` or `owner/name`')
  .describe('As `name` or `owner/name`.');

/** The version of a release. */
export const VERSION_ARGUMENT = z
  .string()
  .regex(/^.{1,100}$/su, 'must have 1 to 100 characters')
  .describe('The exact title of the milestone.');

/** A search text, ignoring case. Its length counts Unicode characters, so that an emoji counts as one. */
export const SEARCH_ARGUMENT = z
  .string()
  .regex(/^.{1,200}$/su, 'must have 1 to 200 characters')
  .describe("A part of a version, of a repository's name, or of both, as in `catalog v0.9`.");
