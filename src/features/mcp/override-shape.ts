import { z } from 'zod';
import type { UsedOverride } from '../../domain/override/override.js';
import { CONDITION_SHAPE, shownConditions } from './condition-shape.js';
import { MOMENT_SHAPE } from './moment-shape.js';

/** Something that two admins agreed to set aside. */
export const OVERRIDE_SHAPE = z.object({
  kind: z.enum(['waiver', 'break_glass']),
  id: z.uuid(),
  reason: z.string(),
  expiresAt: MOMENT_SHAPE,
  conditions: z.array(CONDITION_SHAPE).describe('What would keep the release back without it.'),
});

type ShownOverride = Pick<UsedOverride, 'kind' | 'id' | 'reason' | 'expiresAt' | 'conditions'>;

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
