import { unread } from '../facts/condition.js';
import type { MilestoneFact } from '../facts/facts.js';
import type { ReleaseRecord } from './release-record.js';
import type { Condition, Stage } from './stage.js';

export interface MilestoneStanding {
  readonly cancelled: boolean;
  /** The milestone is gone for good; one made again under its name is another release. */
  readonly deleted: boolean;
  /** What closes the gate whatever the stage. */
  readonly blocking: readonly Condition[];
  /** What somebody should know although it blocks nothing. */
  readonly warnings: readonly Condition[];
}

/**
 * What the milestone's own state says of its release. Closing it cancels a release that is not ready to be deployed;
 * teams also close it when they tag what they deploy, and then it is only a warning.
 */
export function milestoneConditions(
  record: ReleaseRecord,
  stage: Stage,
  milestone: MilestoneFact | null | undefined,
): MilestoneStanding {
  if (record.deletedAt !== null) return gone;
  if (milestone === undefined) {
    const cancelled = record.cancelledAt !== null;
    return { cancelled, deleted: false, blocking: [unread('the milestone')], warnings: [] };
  }
  if (milestone === null || milestone.githubId !== record.milestoneGithubId) return gone;
  const renamed = milestone.title === record.version ? [] : [restoreName(record.version, milestone)];
  if (milestone.state === 'open') return { cancelled: false, deleted: false, blocking: renamed, warnings: [] };
  const closedInDeployment = record.cancelledAt === null && record.stage === 'DEPLOYMENT' && stage === 'DEPLOYMENT';
  return closedInDeployment
    ? { cancelled: false, deleted: false, blocking: renamed, warnings: [closedEarly(milestone)] }
    : { cancelled: true, deleted: false, blocking: [reopen(milestone), ...renamed], warnings: [] };
}

const gone: MilestoneStanding = {
  cancelled: true,
  deleted: true,
  blocking: [{ code: 'cancelled', detail: 'The milestone was deleted.', actor: 'team' }],
  warnings: [],
};

const reopen = ({ url }: MilestoneFact): Condition => ({
  code: 'cancelled',
  detail: 'The milestone was closed before the release could be deployed. Reopen it to go on.',
  actor: 'team',
  url,
});

const closedEarly = ({ url }: MilestoneFact): Condition => ({
  code: 'milestone_closed',
  detail: 'The milestone was closed before the deployment was observed.',
  actor: 'team',
  url,
});

const restoreName = (version: string, { title, url }: MilestoneFact): Condition => ({
  code: 'milestone_renamed',
  detail: `The milestone is called "${title}" now. Name it "${version}" again, or delete it and make another one.`,
  actor: 'team',
  url,
});
