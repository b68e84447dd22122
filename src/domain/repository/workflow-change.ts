import type { Sha } from '../facts/facts.js';

/** What a change does to a workflow file at a path that the service manages; null is a file that is not there. */
export interface WorkflowChange {
  readonly before: Sha | null;
  readonly after: Sha | null;
}

interface ManagedPath {
  /** The service installed the file in the repository. */
  readonly isInstalled: boolean;
  readonly isPublished: (blobSha: Sha) => boolean;
}

/**
 * What makes a change harmless is what it leaves, not who made it: an author can be forged, the bytes that the service
 * published cannot. A file that the repository had there of its own stays its own until the service's takes its place.
 */
export function judgeWorkflowChange(
  { before, after }: WorkflowChange,
  { isInstalled, isPublished }: ManagedPath,
): 'published' | 'own' | 'foreign' {
  if (after !== null && isPublished(after)) return 'published';
  const wasOwn = !isInstalled && before !== null && !isPublished(before);
  return wasOwn ? 'own' : 'foreign';
}
