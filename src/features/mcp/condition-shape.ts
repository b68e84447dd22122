import { z } from 'zod';
import type { Condition } from '../../domain/release/stage.js';

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
