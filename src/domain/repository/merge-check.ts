import type { Sha } from '../facts/facts.js';
import type { PolicyState } from '../policy/policy.js';
import type { Condition, Stage } from '../release/stage.js';

/** A release whose scope a change belongs to, and by what. */
export interface ScopedRelease {
  readonly version: string;
  readonly stage: Stage;
  /** The change carries the release's milestone itself. */
  readonly byMilestone: boolean;
  /** Issues in the scope that the change names. */
  readonly issues: readonly number[];
}

/** Where a release stands, and where it would stand if the proposed policy held now. */
export interface PolicyPreview {
  readonly version: string;
  readonly stage: Stage;
  readonly proposedStage: Stage;
  readonly opens: boolean;
  readonly closes: boolean;
  /** What would keep it back, and does not keep it back now. */
  readonly newlyUnmet: readonly Condition[];
  /** How many facts would have to be read before anybody could tell for sure. */
  readonly unknownFacts: number;
}

/** What a change proposes to do to the rules. */
export interface PolicyChange {
  readonly state: PolicyState;
  /** The default branch, the only one whose rules hold, where the change goes to another; else null. */
  readonly heldOnlyOn: string | null;
  readonly previews: readonly PolicyPreview[];
}

/** What was found about one change that has a commit at its head. */
export interface ChangeAnalysis {
  /** Null where the host does not tell which pull request a merge group is of. */
  readonly pullNumber: number | null;
  /** Managed workflow files of which the change leaves something else than the service ever published. */
  readonly foreign: readonly string[];
  /** Those that it leaves as the service published them. */
  readonly installed: readonly string[];
  /** Null where the change leaves the rules alone. */
  readonly policy: PolicyChange | null;
  readonly releases: readonly ScopedRelease[];
}

/** Whether the change may not be merged as it is. */
export const isBlocked = ({ foreign, policy }: ChangeAnalysis): boolean =>
  foreign.length > 0 || (policy !== null && policy.state.status !== 'valid');

/** What belongs to a release that is not shipped. */
export interface ReleaseScope {
  readonly version: string;
  readonly stage: Stage;
  readonly milestoneNumber: number;
  readonly issues: readonly number[];
}

/** What people wrote on a change. */
interface ChangeText {
  readonly title: string;
  readonly body: string;
  readonly milestoneNumber: number | null;
}

/** A number that stands by itself: `other/repo#4` is an issue of somebody else's, and `&#4;` is a character. */
const MENTION = /(?<![\w&/-])#(\d{1,9})\b/g;

/** The releases whose scope a change belongs to: by the milestone that it carries, or by issues that it names. */
export function matchReleases({ title, body, milestoneNumber }: ChangeText, scopes: readonly ReleaseScope[]) {
  const named = new Set(Array.from(`${title}\n${body}`.matchAll(MENTION), ([, digits]) => Number(digits)));
  return scopes
    .map(({ version, stage, milestoneNumber: own, issues }): ScopedRelease => ({
      version,
      stage,
      byMilestone: own === milestoneNumber,
      issues: issues.filter((number) => named.has(number)).toSorted((a, b) => a - b),
    }))
    .filter(({ byMilestone, issues }) => byMilestone || issues.length > 0);
}

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
export function checkWorkflowChange(
  { before, after }: WorkflowChange,
  { isInstalled, isPublished }: ManagedPath,
): 'published' | 'own' | 'foreign' {
  if (after !== null && isPublished(after)) return 'published';
  const wasOwn = !isInstalled && before !== null && !isPublished(before);
  return wasOwn ? 'own' : 'foreign';
}
