import { z } from 'zod';

/** A repository as people name it. */
export const REPOSITORY_ARGUMENT = z
  .string()
  .regex(/^(?:[\w.-]{1,100}\/)?[\w.-]{1,100}$/)
  .describe('The repository, as `name` or `owner/name`.');

/** A release as its milestone is called. */
export const VERSION_ARGUMENT = z.string().min(1).max(100).describe('The version, exactly as the milestone is called.');
