import type { PullFact, ReviewFact, Sha } from '../../domain/facts/facts.js';
import type { Markdown } from '../markdown.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

interface NewPullRequest {
  readonly title: string;
  /** The branch to merge, of the same repository. */
  readonly head: string;
  /** The branch to merge into. */
  readonly base: string;
  readonly body: Markdown;
}

/** What to change; whatever is left out stays. */
interface PullRequestChange {
  readonly title?: string;
  readonly body?: Markdown;
  readonly state?: 'open' | 'closed';
}

export class PullRequests {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Null where there is none of that number. */
  async find(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<Observed<PullFact | null>> {
    return this.calls.find(ref, this.calls.rest.pulls.get, { pull_number: number }, pullOf, signal);
  }

  /** Those that merge this repository's own branch (never a fork's of the same name), in any state, newest first. */
  async listByHead(ref: RepositoryRef, branch: string, signal?: AbortSignal): Promise<Observed<readonly PullFact[]>> {
    const { owner } = await this.calls.locate(ref, signal);
    return this.calls.list(
      ref,
      this.calls.rest.pulls.list,
      { head: `${owner}:${branch}`, state: 'all', sort: 'created', direction: 'desc', per_page: 100 },
      (page) =>
        page
          .items()
          .filter((item) => item.object('head').objectOrNull('repo')?.integer('id') === ref.id)
          .map(pullOf),
      signal,
    );
  }

  /** Every submitted review, oldest first, also of people who reviewed more than once. */
  async reviews(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<Observed<readonly ReviewFact[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.pulls.listReviews,
      { pull_number: number, per_page: 100 },
      // A pending review is its author's draft.
      (page) =>
        page
          .items()
          .filter((item) => item.text('state') !== 'PENDING')
          .map(reviewOf),
      signal,
    );
  }

  /** Refused as `conflict` where one of that head and base is open already. */
  async open(ref: RepositoryRef, pull: NewPullRequest, signal?: AbortSignal): Promise<PullFact> {
    const fields = { ...pull, body: pull.body.text };
    return this.calls.write(ref, this.calls.rest.pulls.create, fields, pullOf, {
      idempotent: false,
      signal,
    });
  }

  async update(
    ref: RepositoryRef,
    number: number,
    { body, ...change }: PullRequestChange,
    signal?: AbortSignal,
  ): Promise<PullFact> {
    return this.calls.write(
      ref,
      this.calls.rest.pulls.update,
      { pull_number: number, ...change, ...(body && { body: body.text }) },
      pullOf,
      { idempotent: true, signal },
    );
  }

  /** Asks the teams, by slug, for a review; a team that was asked before is not asked twice. */
  async requestTeamReviews(
    ref: RepositoryRef,
    number: number,
    teams: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    await this.calls.write(
      ref,
      this.calls.rest.pulls.requestReviewers,
      { pull_number: number, team_reviewers: [...teams] },
      (body) => body.integer('number'),
      { idempotent: true, signal },
    );
  }
}

function pullOf(item: JsonReader): PullFact {
  const head = item.object('head');
  const base = item.object('base');
  const mergedAt = item.textOrNull('merged_at');
  const state = item.oneOf('state', ['open', 'closed']);
  return {
    number: item.integer('number'),
    url: item.text('html_url'),
    state: mergedAt === null ? state : 'merged',
    headRef: head.text('ref'),
    headSha: head.text('sha'),
    baseRef: base.text('ref'),
    baseSha: base.text('sha'),
    mergedAt,
    // Before the merge this names GitHub's trial merge, which is no commit of any branch.
    mergeCommitSha: mergedAt === null ? null : item.textOrNull('merge_commit_sha'),
  };
}

const REVIEW_STATES = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
} as const satisfies Record<string, ReviewFact['state']>;

function reviewOf(item: JsonReader): ReviewFact {
  const user = item.objectOrNull('user');
  const state = item.oneOf('state', ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED']);
  return {
    id: item.integer('id'),
    userId: user?.integer('id') ?? null,
    login: user?.text('login') ?? null,
    state: REVIEW_STATES[state],
    commitSha: item.textOrNull('commit_id'),
    submittedAt: item.text('submitted_at'),
  };
}

/** An open pull request as what it is before anybody merges it: who proposes what to be merged where. */
export interface OpenPullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly milestoneNumber: number | null;
  /** Null where the account no longer exists. */
  readonly authorLogin: string | null;
  readonly headRef: string;
  readonly headSha: Sha;
  /** Its branch is another repository's, also where that one is gone. */
  readonly fromFork: boolean;
  readonly baseRef: string;
}

export class OpenPullRequests {
  constructor(private readonly calls: RepositoryCalls) {}

  /** All that are open, drafts and those of forks included. */
  async list(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<readonly OpenPullRequest[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.pulls.list,
      { state: 'open', sort: 'created', direction: 'asc', per_page: 100 },
      (page) => page.items().map((item) => proposalOf(item, ref.id)),
      signal,
    );
  }
}

function proposalOf(item: JsonReader, repositoryId: number): OpenPullRequest {
  const head = item.object('head');
  return {
    number: item.integer('number'),
    title: item.text('title'),
    body: item.textOrNull('body') ?? '',
    milestoneNumber: item.objectOrNull('milestone')?.integer('number') ?? null,
    authorLogin: item.objectOrNull('user')?.text('login') ?? null,
    headRef: head.text('ref'),
    headSha: head.text('sha'),
    fromFork: head.objectOrNull('repo')?.integer('id') !== repositoryId,
    baseRef: item.object('base').text('ref'),
  };
}
