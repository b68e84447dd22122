import type { Sha } from '../facts/facts.js';
import type { PolicyState } from '../policy/policy.js';
import type { Condition, Stage } from '../facts/condition.js';

/** A release whose scope contains a change, with the reasons. */
export interface AffectedRelease {
  readonly version: string;
  readonly stage: Stage;
  /** Whether the change itself carries the milestone of the release. */
  readonly byMilestone: boolean;
  /** Issues of the scope that the change mentions. */
  readonly issues: readonly number[];
}

/** The effect of the proposed policy on one release. */
export interface PolicyPreview {
  readonly version: string;
  readonly stage: Stage;
  readonly proposedStage: Stage;
  readonly opens: boolean;
  readonly closes: boolean;
  /** Conditions that only the proposed policy would leave unmet. */
  readonly newlyUnmet: readonly Condition[];
  /** The number of facts that are missing for a reliable preview. */
  readonly unknownFacts: number;
}

/** A proposed change of the policy. */
export interface PolicyChange {
  readonly state: PolicyState;
  /**
   * The default branch if the change targets another branch, because only the policy of the default branch is in
   * effect. Null if the change targets the default branch.
   */
  readonly heldOnlyOn: string | null;
  readonly previews: readonly PolicyPreview[];
}

/** The result of analyzing one change with a head commit. */
export interface ChangeAnalysis {
  /** Null for a merge group if GitHub does not name its pull request. */
  readonly pullNumber: number | null;
  /** Managed workflow files that the change leaves with content that the service never published. */
  readonly foreign: readonly string[];
  /** Managed workflow files that the change leaves with published content. */
  readonly installed: readonly string[];
  /** Null if the change does not touch the policy. */
  readonly policy: PolicyChange | null;
  readonly releases: readonly AffectedRelease[];
}

/** Returns whether the merge check rejects the change. */
export const isBlocked = ({ foreign, policy }: ChangeAnalysis): boolean =>
  foreign.length > 0 || (policy !== null && policy.state.status !== 'valid');

/** The scope of a release that is not shipped. */
export interface ReleaseScope {
  readonly version: string;
  readonly stage: Stage;
  readonly milestoneNumber: number;
  readonly issues: readonly number[];
}

/** The title, body and milestone of a change. */
interface ChangeText {
  readonly title: string;
  readonly body: string;
  readonly milestoneNumber: number | null;
}

/**
 * Matches an issue number of this repository. `other/repo#4` is an issue of another repository, and `&#4;` is a
 * character.
 */
const MENTION = /(?<![\w&/-])#(\d{1,9})\b/g;

/** Returns the releases whose scope contains the change, by its milestone or by an issue that it mentions. */
export function matchReleases({ title, body, milestoneNumber }: ChangeText, scopes: readonly ReleaseScope[]) {
  const named = new Set(Array.from(`${title}\n${body}`.matchAll(MENTION), ([, digits]) => Number(digits)));
  return scopes
    .map(({ version, stage, milestoneNumber: own, issues }): AffectedRelease => ({
      version,
      stage,
      byMilestone: own === milestoneNumber,
      issues: issues.filter((number) => named.has(number)).toSorted((a, b) => a - b),
    }))
    .filter(({ byMilestone, issues }) => byMilestone || issues.length > 0);
}

/** The change of a managed workflow file. Null means that the file does not exist. */
export interface WorkflowChange {
  readonly before: Sha | null;
  readonly after: Sha | null;
}

interface ManagedPath {
  /** Whether the service installed the file in the repository. */
  readonly isInstalled: boolean;
  readonly isPublished: (blobSha: Sha) => boolean;
}

/**
 * Checks the change of a workflow file by its resulting content, not by its author: an author can be forged, published
 * bytes cannot. A file that the repository had before stays its own until the service installs its file.
 */
export function checkWorkflowChange(
  { before, after }: WorkflowChange,
  { isInstalled, isPublished }: ManagedPath,
): 'published' | 'own' | 'foreign' {
  if (after !== null && isPublished(after)) return 'published';
  const wasOwn = !isInstalled && before !== null && !isPublished(before);
  return wasOwn ? 'own' : 'foreign';
}
