import type { ComparisonFact, Sha } from '../facts/facts.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from './managed-files.js';

/** The status of the workflow files of a repository compared with the current templates. */
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
  /** The first revision that contained exactly this file. Null if the service never published it. */
  readonly published: { readonly revision: string; readonly publishedAt: Date } | null;
}

export interface WorkflowUpdateFacts {
  /** The current templates. */
  readonly target: {
    readonly revision: string;
    readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
  };
  readonly present: readonly ExistingWorkflow[];
  /** The difference between the update branch and the default branch. Null if there is no update branch. */
  readonly branch: Pick<ComparisonFact, 'files' | 'filesComplete'> | null;
  /** The open pull request of the update branch, by author. */
  readonly pull: 'none' | 'own' | 'foreign';
  /** Whether workflow files can be written: by the app, or with a repository token. */
  readonly mayWrite: boolean;
}

interface WorkflowUpdateDecision {
  readonly status: Exclude<WorkflowUpdateStatus, 'PR_CREATED'>;
  /** Null if the files belong to no published revision. */
  readonly installedRevision: string | null;
  /** The files that the service updates. */
  readonly managedFiles: readonly string[];
  /** The managed files that an update replaces. */
  readonly outdatedFiles: readonly string[];
  /** Whether the update branch contains all outdated files. */
  readonly isProposed: boolean;
}

/** Decides which workflow files an update replaces and whether something prevents the update. */
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
  const branchStatus = workflowUpdateStatus(branch, target.files, { managedFiles, outdatedFiles });
  const status = ((): WorkflowUpdateDecision['status'] => {
    if (outdatedFiles.length === 0) return 'UP_TO_DATE';
    // Another author changed the branch. The service neither merges nor overwrites the work of others.
    if (branchStatus === 'foreign' || pull === 'foreign') return 'CONFLICT';
    if (branchStatus === 'whole' && pull === 'own') return 'PR_OPEN';
    return mayWrite ? 'UPDATE_AVAILABLE' : 'PAT_REQUIRED';
  })();
  return { status, installedRevision, managedFiles, outdatedFiles, isProposed: branchStatus === 'whole' };
}

/**
 * Returns whether the repository uses its own CI workflow: the managed file is missing or was never published by the
 * service.
 */
export const hasCustomCi = (present: readonly ExistingWorkflow[]): boolean =>
  !present.some(({ path, published }) => path === CI_WORKFLOW && published !== null);

/**
 * Returns the newest revision of the managed files. A revision may leave a file unchanged, so the newest file shows the
 * revision.
 */
function newestRevision(managedFiles: readonly string[], present: readonly ExistingWorkflow[]): string | null {
  const published = managedFiles.map((path) => present.find((file) => file.path === path)?.published ?? null);
  if (published.includes(null)) return null;
  const [newest] = published
    .flatMap((found) => found ?? [])
    .toSorted((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime());
  return newest?.revision ?? null;
}

/**
 * Compares the update branch with the templates: `whole` contains exactly the update, `partial` only files of the
 * service, `foreign` the work of others.
 */
function workflowUpdateStatus(
  branch: WorkflowUpdateFacts['branch'],
  templates: WorkflowUpdateFacts['target']['files'],
  { managedFiles, outdatedFiles }: Pick<WorkflowUpdateDecision, 'managedFiles' | 'outdatedFiles'>,
): 'partial' | 'whole' | 'foreign' {
  if (branch === null) return 'partial';
  const templateBlobs = new Map<string, Sha | null>(templates.map(({ path, blobSha }) => [path, blobSha]));
  const isOwn = branch.filesComplete && branch.files.every(({ path, blobSha }) => templateBlobs.get(path) === blobSha);
  if (!isOwn) return 'foreign';
  const proposedPaths = branch.files.map(({ path }) => path);
  // If the team replaced the CI workflow in the meantime, the branch must not contain the managed one.
  const isWhole =
    outdatedFiles.every((path) => proposedPaths.includes(path)) &&
    proposedPaths.every((path) => managedFiles.includes(path));
  return isWhole ? 'whole' : 'partial';
}
