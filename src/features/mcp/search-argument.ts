import { z } from 'zod';

/** A text that is looked for as it stands, whatever its case. Counted as people count, so that an emoji is one. */
export const SEARCH_ARGUMENT = z.string().regex(/^.{1,200}$/su, 'search must have 1 to 200 characters');
