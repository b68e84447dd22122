import type { Review } from '../state/reviews.js';
import { authorAssociation } from './issue-view.js';
import { userView } from './user-view.js';
import { isoDate, nodeId } from './wire.js';

/** `pull-request-review`, with its state in upper case. In webhooks it is in lower case. */
export function reviewView({ id, pull, author, commitId, submittedAt, body, state }: Review) {
  const { repository, number } = pull;
  const htmlUrl = `${repository.htmlUrl}/pull/${number}#pullrequestreview-${id}`;
  const pullUrl = `${repository.apiUrl}/pulls/${number}`;
  return {
    id,
    node_id: nodeId('PullRequestReview', id),
    user: userView(author),
    body,
    state: state as string,
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    commit_id: commitId,
    submitted_at: isoDate(submittedAt),
    author_association: authorAssociation(repository, author),
    _links: { html: { href: htmlUrl }, pull_request: { href: pullUrl } },
  };
}
