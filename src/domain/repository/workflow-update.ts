import type { ComparisonFact, Sha } from '../facts/facts.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from './managed-files.js';

/** How the workflow files of a repository stand beside those that would be installed now. */
export const WORKFLOW_UPDATE_STATUSES = [
  'UP_TO_DATE',
  'UPDATE_AVAILABLE',
  'PR_OPEN',
  'PR_CREATED',
  'CONFLICT',
  'PAT_REQUIRED',
] as const;
export type WorkflowUpdateStatus = (typeof WORKFLOW_UPDATE_STATUSES)[number];

/** A file at a managed path of the default branch. */
export interface ExistingWorkflow {
  readonly path: string;
  readonly blobSha: Sha;
  /** The first revision that exactly this file was part of; null where the service never published it. */
  readonly published: { readonly revision: string; readonly publishedAt: Date } | null;
}

export interface WorkflowUpdateFacts {
  /** What would be installed now. */
  readonly target: {
    readonly revision: string;
    readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
  };
  readonly present: readonly ExistingWorkflow[];
  /** Where the branch of the update differs from the default one; null where there is no such branch. */
  readonly branch: Pick<ComparisonFact, 'files' | 'filesComplete'> | null;
  /** The open pull request of that branch, by whom it was opened. */
  readonly pull: 'none' | 'own' | 'foreign';
  /** Whether workflow files can be written: by the app, or with a token that was given. */
  readonly mayWrite: boolean;
}

interface WorkflowUpdateDecision {
  readonly status: Exclude<WorkflowUpdateStatus, 'PR_CREATED'>;
  /** Null where what lies there is of no revision of the service. */
  readonly installedRevision: string | null;
  /** The files that are the service's to keep up to date. */
  readonly managedFiles: readonly string[];
  /** Those of them that an update replaces. */
  readonly outdatedFiles: readonly string[];
  /** Whether the branch of the update brings all of them. */
  readonly isProposed: boolean;
}

/** What there is to bring to a repository, and whether anything stands in the way. */
export function decideWorkflowUpdate({
  target,
  present,
  branch,
  pull,
  mayWrite,
}: WorkflowUpdateFacts): WorkflowUpdateDecision {
  const managedFiles = hasCustomCi(present) ? [ENFORCE_WORKFLOW] : [CI_WORKFLOW, ENFORCE_WORKFLOW];
  const blobAt = new Map(present.map(({ path, blobSha }) => [path, blobSha]));
  const outdatedFiles = target.files
    .filter(({ path, blobSha }) => managedFiles.includes(path) && blobAt.get(path) !== blobSha)
    .map(({ path }) => path);
  const installedRevision = outdatedFiles.length === 0 ? target.revision : newestRevision(managedFiles, present);
  const standing = workflowUpdateStatus(branch, target.files, { managedFiles, outdatedFiles });
  const status = ((): WorkflowUpdateDecision['status'] => {
    if (outdatedFiles.length === 0) return 'UP_TO_DATE';
    // Whoever wrote there wants something of it: it is neither merged under the service's name nor overwritten.
    if (standing === 'foreign' || pull === 'foreign') return 'CONFLICT';
    if (standing === 'whole' && pull === 'own') return 'PR_OPEN';
    return mayWrite ? 'UPDATE_AVAILABLE' : 'PAT_REQUIRED';
  })();
  return { status, installedRevision, managedFiles, outdatedFiles, isProposed: standing === 'whole' };
}

/** A repository whose CI file is gone, or is one that the service never published, has a CI of its own. */
export const hasCustomCi = (present: readonly ExistingWorkflow[]): boolean =>
  !present.some(({ path, published }) => path === CI_WORKFLOW && published !== null);

/** A file stays the same over revisions that change the other one, so the newest of the files tells the revision. */
function newestRevision(managedFiles: readonly string[], present: readonly ExistingWorkflow[]): string | null {
  const published = managedFiles.map((path) => present.find((file) => file.path === path)?.published ?? null);
  if (published.includes(null)) return null;
  const [newest] = published
    .flatMap((found) => found ?? [])
    .toSorted((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime());
  return newest?.revision ?? null;
}

/** What the branch of the update brings: exactly what there is to bring, something else of the service's, or others' work. */
function workflowUpdateStatus(
  branch: WorkflowUpdateFacts['branch'],
  wanted: WorkflowUpdateFacts['target']['files'],
  { managedFiles, outdatedFiles }: Pick<WorkflowUpdateDecision, 'managedFiles' | 'outdatedFiles'>,
): 'partial' | 'whole' | 'foreign' {
  if (branch === null) return 'partial';
  const wantedAt = new Map<string, Sha | null>(wanted.map(({ path, blobSha }) => [path, blobSha]));
  const isOwn = branch.filesComplete && branch.files.every(({ path, blobSha }) => wantedAt.get(path) === blobSha);
  if (!isOwn) return 'foreign';
  const brought = branch.files.map(({ path }) => path);
  // Where CI became the team's own meanwhile, the branch must not bring the file of before.
  const isWhole =
    outdatedFiles.every((path) => brought.includes(path)) && brought.every((path) => managedFiles.includes(path));
  return isWhole ? 'whole' : 'partial';
}
