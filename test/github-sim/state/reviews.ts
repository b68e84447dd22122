import type { Sha } from '../git/git-object.js';
import { pullSimpleView } from '../views/pull-view.js';
import { reviewView } from '../views/review-view.js';
import type { Pull } from './pull.js';
import { ApiRejection } from './api-rejection.js';
import type { Repository } from './repository.js';
import { hasRole } from './role.js';
import type { User } from './user.js';

export type ReviewVerdict = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';

/** A review belongs to the commit at its submission, also after the head moved. */
export interface Review {
  readonly id: number;
  readonly pull: Pull;
  readonly author: User;
  readonly commitId: Sha;
  readonly submittedAt: Date;
  readonly body: string;
  state: ReviewVerdict | 'DISMISSED';
}

interface ReviewSpec {
  readonly by: User;
  readonly state: ReviewVerdict;
  readonly commit?: Sha;
  readonly body?: string;
}

/** The reviews of the pull requests of a repository. */
export class Reviews {
  constructor(private readonly repository: Repository) {}

  submit(pull: Pull, { by, state, commit = pull.headSha, body = '' }: ReviewSpec): Review {
    if (by === pull.issue.author && state !== 'COMMENTED') {
      const act = state === 'APPROVED' ? 'approve' : 'request changes on';
      throw new ApiRejection('invalid', `Review Can not ${act} your own pull request`);
    }
    if (!this.repository.git.store.hasCommit(commit)) {
      throw new ApiRejection('invalid', 'Validation Failed', { field: 'commit_id', code: 'invalid' });
    }
    if (state !== 'APPROVED' && body === '') {
      throw new ApiRejection('invalid', 'Validation Failed', { field: 'body', code: 'missing_field' });
    }
    const submittedAt = this.repository.state.now();
    const id = this.repository.state.nextId();
    const review: Review = { id, pull, author: by, commitId: commit, submittedAt, body, state };
    pull.reviews.push(review);
    this.removeRequest(pull, by);
    this.announce(review, 'submitted', by);
    return review;
  }

  /** Dismisses an approval or a request for changes. Requires the role `write`. */
  dismiss(review: Review, by: User = this.repository.owner.founder): void {
    if (!hasRole(this.repository.roleOf(by), 'write') && by.type !== 'Bot') {
      throw new ApiRejection('not_allowed', 'Resource not accessible');
    }
    if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
      throw new ApiRejection('invalid', `Can not dismiss a ${review.state.toLowerCase()} pull request review`);
    }
    review.state = 'DISMISSED';
    this.announce(review, 'dismissed', by);
  }

  private removeRequest(pull: Pull, by: User): void {
    const callsBefore = pull.requestedReviewers.indexOf(by);
    if (callsBefore >= 0) pull.requestedReviewers.splice(callsBefore, 1);
    const stillRequested = pull.requestedTeams.filter((team) => !team.has(by));
    pull.requestedTeams.splice(0, Infinity, ...stillRequested);
  }

  private announce(review: Review, action: 'submitted' | 'dismissed', by: User): void {
    const received = reviewView(review);
    const payload = {
      action,
      review: { ...received, state: received.state.toLowerCase() },
      pull_request: pullSimpleView(review.pull),
    };
    this.repository.emit('pull_request_review', payload, by);
  }
}
