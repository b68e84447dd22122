import type { Sha } from '../facts/facts.js';
import { ENFORCE_WORKFLOW, POLICY_FILE } from './managed-files.js';

/** A file that a bootstrap writes to a repository. */
export interface TemplateFile {
  readonly path: string;
  readonly content: string;
  readonly blobSha: Sha;
}

/** A file that exists already at the path of a template. */
export interface ExistingFile {
  readonly blobSha: Sha;
  /** Whether the service published exactly these bytes at this path before. */
  readonly published: boolean;
}

/** The action of a bootstrap for each path. */
export interface BootstrapPlan {
  readonly write: readonly TemplateFile[];
  /** Paths at which the repository's own file stays. */
  readonly unchanged: readonly string[];
  /** Paths at which the bootstrap replaces the repository's own file. */
  readonly replaced: readonly string[];
}

/** Plans a bootstrap. The repository's own policy, guide and CI workflow are not replaced. */
export function planBootstrap(
  templates: readonly TemplateFile[],
  present: ReadonlyMap<string, ExistingFile>,
): BootstrapPlan {
  const write: TemplateFile[] = [];
  const unchanged: string[] = [];
  const replaced: string[] = [];
  for (const file of templates) {
    const found = present.get(file.path);
    if (found?.blobSha === file.blobSha) continue;
    if (found && !isReplaceable(file.path, found)) {
      unchanged.push(file.path);
      continue;
    }
    write.push(file);
    if (found && !found.published) replaced.push(file.path);
  }
  return { write, unchanged: unchanged, replaced };
}

/** The enforcement workflow is always written, because without it no gate protects deployments. */
const isReplaceable = (path: string, { published }: ExistingFile): boolean =>
  path !== POLICY_FILE && (published || path === ENFORCE_WORKFLOW);

/**
 * The stored set-up steps of a repository. `opening`: the bootstrap has started and its pull request is not known yet.
 */
export const SETUP_STEPS = [
  'opening',
  'pr_open',
  'closed',
  'merged',
  'protection_pending',
  'protection_failed',
  'complete',
] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

/**
 * The set-up states of a repository in the API. `LEGACY`: the repository is managed but was configured by hand or by an
 * older template, not by a bootstrap.
 */
export const SETUP_STATES = [
  'NOT_STARTED',
  'PR_OPEN',
  'MERGED',
  'PROTECTION_PENDING',
  'PROTECTION_FAILED',
  'COMPLETE',
  'LEGACY',
  'SUSPENDED',
  'REMOVED',
] as const;
export type SetupState = (typeof SETUP_STATES)[number];

/** The values from which the set-up state of a repository is derived. */
export interface SetupCircumstances {
  /** The app has no access to the repository any more: it was deleted or removed from the installation. */
  readonly removed: boolean;
  readonly installed: boolean;
  readonly suspended: boolean;
  readonly managed: boolean;
  /** Null if no bootstrap was started. */
  readonly step: SetupStep | null;
}

const STATE_BY_STEP: Readonly<Record<SetupStep, SetupState | null>> = {
  // There is nothing to show before the pull request exists.
  opening: null,
  pr_open: 'PR_OPEN',
  closed: null,
  merged: 'MERGED',
  protection_pending: 'PROTECTION_PENDING',
  protection_failed: 'PROTECTION_FAILED',
  complete: 'COMPLETE',
};

/** Returns the set-up state of a repository. Missing access has priority over the progress of the set-up. */
export function repositorySetupState({ removed, installed, suspended, managed, step }: SetupCircumstances): SetupState {
  if (removed || !installed) return 'REMOVED';
  if (suspended) return 'SUSPENDED';
  const reached = step === null ? null : STATE_BY_STEP[step];
  if (reached !== null) return reached;
  // A bootstrap that is being opened has already reserved a place in the quota, and it is not a set-up by hand.
  return managed && step !== 'opening' ? 'LEGACY' : 'NOT_STARTED';
}

/**
 * Returns whether a bootstrap may start: there was none, or the pull request of the last one was closed without a
 * merge.
 */
export const canStartBootstrap = (step: SetupStep | null): boolean => step === null || step === 'closed';

/** Returns whether the workflows are merged, so that the branches can be protected. */
export const isMerged = (step: SetupStep | null): boolean =>
  step === 'merged' || step === 'protection_pending' || step === 'protection_failed' || step === 'complete';
