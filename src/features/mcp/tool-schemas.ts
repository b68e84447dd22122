import { z } from 'zod';
import { POLICY_SOURCES } from '../../domain/policy/policy.js';
import { MAX_PAGE, PAGE_SIZES } from '../../http/pagination/pagination.dto.js';

/** A condition that is not met. */
export const CONDITION_SHAPE = z.object({
  code: z.string().describe('A stable code for programs.'),
  detail: z.string().describe('A sentence for users.'),
  actor: z.string().describe('Who can clear it: team, ci, reviewer, deployer, admin, or service (Shipgate itself).'),
  url: z.string().optional().describe('The URL where it can be cleared.'),
  source: z
    .enum(POLICY_SOURCES)
    .optional()
    .describe("The document that states the requirement: the organization's default, or sdlc.yaml of the repository."),
});

/** A timestamp in UTC. A result has it as a date, and its reduction as a text. */
export const TIMESTAMP_SHAPE = z.preprocess(
  (at: Date | string) => (at instanceof Date ? at.toISOString() : at),
  z.iso.datetime(),
);

/** A waiver or a break-glass request. */
export const OVERRIDE_SHAPE = z.object({
  kind: z.enum(['waiver', 'break_glass']),
  id: z.uuid(),
  reason: z.string(),
  expiresAt: TIMESTAMP_SHAPE,
  conditions: z.array(CONDITION_SHAPE).describe('The conditions that it sets aside.'),
});

/** The arguments of every tool with pages. */
export const PAGE_ARGUMENTS = {
  page: z.int().min(1).max(MAX_PAGE).default(1).describe('The page number. A page after the last one is empty.'),
  pageSize: z.literal(PAGE_SIZES).default(25).describe('The number of entries per page.'),
};

/** The page of an answer. */
export const PAGE_SHAPE = z.object({
  page: z.int(),
  pageSize: z.int(),
  total: z.int().describe('The number of all matches.'),
  pages: z.int().describe('The number of pages; 1 if there are no matches.'),
});

/** The name of a repository, with or without its owner. */
export const REPOSITORY_ARGUMENT = z
  .string()
  .regex(/^(?:[\w.-]{1,100}\/)?[\w.-]{1,100}$/)
  .describe('The repository, as `name` or `owner/name`.');

/** The version of a release. */
export const VERSION_ARGUMENT = z.string().min(1).max(100).describe('The version: the exact title of the milestone.');

/** A search text, ignoring case. Its length counts Unicode characters, so that an emoji counts as one. */
export const SEARCH_ARGUMENT = z.string().regex(/^.{1,200}$/su, 'search must have 1 to 200 characters');
