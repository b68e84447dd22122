import type { Sha } from '../facts/facts.js';
import { ENFORCE_WORKFLOW, POLICY_FILE } from './managed-files.js';

/** A file that a bootstrap would put into a repository. */
export interface TemplateFile {
  readonly path: string;
  readonly content: string;
  readonly blobSha: Sha;
}

/** A file that lies at a wanted path already. */
export interface ExistingFile {
  readonly blobSha: Sha;
  /** Whether it is, to the byte, what the service published at this path once. */
  readonly published: boolean;
}

/** What a bootstrap does to each of its paths. */
export interface BootstrapPlan {
  readonly write: readonly TemplateFile[];
  /** Paths at which a file of the repository's own stays. */
  readonly kept: readonly string[];
  /** Paths at which a file of the repository's own gives way. */
  readonly replaced: readonly string[];
}

/** Leaves alone what is the repository's own: its rules, its guide, and a CI workflow that somebody wrote themselves. */
export function planBootstrap(
  wanted: readonly TemplateFile[],
  present: ReadonlyMap<string, ExistingFile>,
): BootstrapPlan {
  const write: TemplateFile[] = [];
  const kept: string[] = [];
  const replaced: string[] = [];
  for (const file of wanted) {
    const found = present.get(file.path);
    if (found?.blobSha === file.blobSha) continue;
    if (found && !givesWay(file.path, found)) {
      kept.push(file.path);
      continue;
    }
    write.push(file);
    if (found && !found.published) replaced.push(file.path);
  }
  return { write, kept, replaced };
}

/** Without the enforcement workflow nothing governs, so nobody else's file stays at its path. */
const givesWay = (path: string, { published }: ExistingFile): boolean =>
  path !== POLICY_FILE && (published || path === ENFORCE_WORKFLOW);

/** How far the set-up of a repository went, as it is written down. `opening`: begun, and its pull request not known yet. */
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
 * How a repository is set up, as people are told it. `LEGACY`: configured by hand or by an older template, so governed and
 * never bootstrapped.
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

/** What the state of a repository is told from. */
export interface SetupCircumstances {
  /** The app reaches the repository no more: it was deleted, or taken from the installation. */
  readonly removed: boolean;
  readonly installed: boolean;
  readonly suspended: boolean;
  readonly managed: boolean;
  /** Null where it was never bootstrapped. */
  readonly step: SetupStep | null;
}

const STATE_OF_STEP: Readonly<Record<SetupStep, SetupState | null>> = {
  // Until its pull request is there, nothing of it can be seen.
  opening: null,
  pr_open: 'PR_OPEN',
  closed: null,
  merged: 'MERGED',
  protection_pending: 'PROTECTION_PENDING',
  protection_failed: 'PROTECTION_FAILED',
  complete: 'COMPLETE',
};

/** The state of a repository: what keeps the app from it says more than how far it came. */
export function repositorySetupState({ removed, installed, suspended, managed, step }: SetupCircumstances): SetupState {
  if (removed || !installed) return 'REMOVED';
  if (suspended) return 'SUSPENDED';
  const reached = step === null ? null : STATE_OF_STEP[step];
  if (reached !== null) return reached;
  // A bootstrap that is being opened holds a place of the plan already, and is no set-up by hand.
  return managed && step !== 'opening' ? 'LEGACY' : 'NOT_STARTED';
}

/** Whether a bootstrap may begin: none was, or the last one's pull request was closed without a merge. */
export const canStartBootstrap = (step: SetupStep | null): boolean => step === null || step === 'closed';

/** Whether the workflows are in the repository, so that its branches can be protected. */
export const isMerged = (step: SetupStep | null): boolean =>
  step === 'merged' || step === 'protection_pending' || step === 'protection_failed' || step === 'complete';
