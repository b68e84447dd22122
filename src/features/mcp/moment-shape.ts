import { z } from 'zod';

/** A moment in UTC. */
export const MOMENT_SHAPE = z.iso.datetime();

export const shownMoment = (at: Date | null): string | null => at?.toISOString() ?? null;
