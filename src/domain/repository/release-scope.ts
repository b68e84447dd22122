import type { Stage } from '../release/stage.js';
import type { ScopedRelease } from './change-finding.js';

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
export function releasesOf({ title, body, milestoneNumber }: ChangeText, scopes: readonly ReleaseScope[]) {
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
