import { z } from 'zod';
import type { Condition } from '../../domain/facts/condition.js';
import type { AppliedOverride } from '../../domain/override/override.js';
import { MAX_PAGE, PAGE_SIZES } from '../../http/pagination/pagination.dto.js';

/** Something that still has to happen before a release may go on. */
export const CONDITION_SHAPE = z.object({
  code: z.string().describe('Stable, for programs.'),
  detail: z.string().describe('A sentence for people.'),
  actor: z
    .string()
    .describe('Who can clear it: team, ci, reviewer, deployer, admin, or service, which is Shipgate itself.'),
  url: z.string().optional().describe('Where it can be cleared.'),
});

export const toConditions = (conditions: readonly Condition[]): z.input<typeof CONDITION_SHAPE>[] =>
  conditions.map(({ code, detail, actor, url }) => ({ code, detail, actor, ...(url !== undefined && { url }) }));

/** A moment in UTC. */
export const TIMESTAMP_SHAPE = z.iso.datetime();

export const toTimestamp = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Something that two admins agreed to set aside. */
export const OVERRIDE_SHAPE = z.object({
  kind: z.enum(['waiver', 'break_glass']),
  id: z.uuid(),
  reason: z.string(),
  expiresAt: TIMESTAMP_SHAPE,
  conditions: z.array(CONDITION_SHAPE).describe('What would keep the release back without it.'),
});

type OverrideFields = Pick<AppliedOverride, 'kind' | 'id' | 'reason' | 'expiresAt' | 'conditions'>;

export const toOverride = ({
  kind,
  id,
  reason,
  expiresAt,
  conditions,
}: OverrideFields): z.input<typeof OVERRIDE_SHAPE> => ({
  kind,
  id,
  reason,
  expiresAt: expiresAt.toISOString(),
  conditions: toConditions(conditions),
});

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
