import { z } from 'zod';
import { OUTCOMES } from '../../domain/release/outcome.js';
import { READINESS_STATUSES } from '../../domain/release/readiness.js';
import { STAGES } from '../../domain/release/stage.js';
import type { ReleaseCard } from '../releases/lists/release-card.js';
import { CONDITION_SHAPE, shownConditions } from './condition-shape.js';
import { MOMENT_SHAPE, shownMoment } from './moment-shape.js';

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

export const shownRelease = (card: ReleaseCard): z.input<typeof RELEASE_SHAPE> => ({
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
