import type { Milestone } from '../state/milestones.js';
import { userView } from './user-view.js';
import { isoDate, isoDateOrNull, nodeId } from './wire.js';

/** `milestone`. It counts issues and pull requests together. */
export function milestoneView(milestone: Milestone) {
  const { id, number, repository } = milestone;
  const url = `${repository.apiUrl}/milestones/${number}`;
  const states = repository.issues.list().flatMap((issue) => (issue.milestone === milestone ? [issue.state] : []));
  return {
    url,
    html_url: `${repository.htmlUrl}/milestone/${number}`,
    labels_url: `${url}/labels`,
    id,
    node_id: nodeId('Milestone', id),
    number,
    title: milestone.title,
    description: milestone.description,
    creator: userView(milestone.creator),
    open_issues: states.filter((state) => state === 'open').length,
    closed_issues: states.filter((state) => state === 'closed').length,
    state: milestone.state,
    created_at: isoDate(milestone.createdAt),
    updated_at: isoDate(milestone.updatedAt),
    due_on: isoDateOrNull(milestone.dueOn),
    closed_at: isoDateOrNull(milestone.closedAt),
  };
}
