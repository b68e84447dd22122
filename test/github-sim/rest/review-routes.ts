import type { ReviewVerdict } from '../state/reviews.js';
import type { Review } from '../state/reviews.js';
import { hasRole } from '../state/role.js';
import { reviewView } from '../views/review-view.js';
import { userOrGhost } from '../views/user-view.js';
import { ApiError, invalid, notFound } from './api-error.js';
import { pullOf } from './pull-routes.js';
import { repositoryRoute, ok, type Route } from './route.js';

const VERDICTS: Readonly<Record<string, ReviewVerdict>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

export const reviewRoutes: readonly Route[] = [
  repositoryRoute('GET', '/pulls/:number/reviews', 'pull_requests:read', (call) =>
    call.page(pullOf(call).reviews, listed),
  ),
  repositoryRoute('POST', '/pulls/:number/reviews', 'pull_requests:read', (call) => {
    const pull = pullOf(call);
    if (call.caller.kind === 'installation' && call.caller.permissions['pull_requests'] !== 'write') {
      throw new ApiError(403, 'Resource not accessible by integration');
    }
    const state = VERDICTS[call.text('event') ?? ''];
    if (!state) throw invalid({ field: 'event', code: 'invalid' });
    const [commit, body] = [call.text('commit_id'), call.text('body')];
    const review = call.repository.pulls.reviews.submit(pull, {
      by: call.actor,
      state,
      ...(commit !== undefined && { commit }),
      ...(body !== undefined && { body }),
    });
    return ok(reviewView(review));
  }),
  repositoryRoute('PUT', '/pulls/:number/reviews/:review/dismissals', 'pull_requests:write', (call) => {
    const review = pullOf(call).reviews.find(({ id }) => id === call.number('review'));
    if (!review) throw notFound();
    if (call.caller.kind === 'user' && !hasRole(call.repository.roleOf(call.actor), 'write')) throw notFound();
    call.requiredText('message');
    call.repository.pulls.reviews.dismiss(review, call.actor);
    return ok(reviewView(review));
  }),
];

/** A list has no author if the account is deleted. */
function listed(review: Review): object {
  return { ...reviewView(review), user: userOrGhost(review.author) };
}
