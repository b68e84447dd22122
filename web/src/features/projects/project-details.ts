import type { Schema } from '../../api/client.js';

/** The details of a project that a user can edit. */
export type ProjectDetails = Readonly<Pick<Schema<'Project'>, 'name' | 'description' | 'targetDate'>>;

/** Returns the details of `after` that differ from those of `before`. */
export function findChanges(before: ProjectDetails, after: ProjectDetails): Partial<ProjectDetails> {
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(after.description !== before.description && { description: after.description }),
    ...(after.targetDate !== before.targetDate && { targetDate: after.targetDate }),
  };
}
