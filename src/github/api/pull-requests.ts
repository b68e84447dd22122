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

/** The members to change; a missing member stays unchanged. */
interface PullRequestChange {
  readonly title?: string;
  readonly body?: Markdown;
  readonly state?: 'open' | 'closed';
}

export class PullRequests {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Returns a pull request; null if there is none of that number. */
  async find(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<Observed<PullFact | null>> {
    return this.calls.find(ref, this.calls.rest.pulls.get, { pull_number: number }, parsePull, signal);
  }

  /** Lists the pull requests of a branch of this repository, in any state, newest first. Ignores branches of forks. */
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
          .map(parsePull),
      signal,
    );
  }

  /** Lists every submitted review, oldest first. A user may have several. */
  async reviews(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<Observed<readonly ReviewFact[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.pulls.listReviews,
      { pull_number: number, per_page: 100 },
      // A pending review is a draft.
      (page) =>
        page
          .items()
          .filter((item) => item.text('state') !== 'PENDING')
          .map(parseReview),
      signal,
    );
  }

  /** Opens a pull request. Fails as `conflict` if one with the same head and base is open. */
  async open(ref: RepositoryRef, pull: NewPullRequest, signal?: AbortSignal): Promise<PullFact> {
    const fields = { ...pull, body: pull.body.text };
    return this.calls.write(ref, this.calls.rest.pulls.create, fields, parsePull, {
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
      parsePull,
      { idempotent: true, signal },
    );
  }

  /** Requests reviews of the teams with these slugs. A repeated request has no effect. */
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

function parsePull(item: JsonReader): PullFact {
  const head = item.object('head');
  const base = item.object('base');
  const mergedAt = item.textOrNull('merged_at');
  const state = item.readChoice('state', ['open', 'closed']);
  return {
    number: item.integer('number'),
    url: item.text('html_url'),
    state: mergedAt === null ? state : 'merged',
    headRef: head.text('ref'),
    headSha: head.text('sha'),
    baseRef: base.text('ref'),
    baseSha: base.text('sha'),
    mergedAt,
    // Before the merge, GitHub reports its test merge commit, which is on no branch.
    mergeCommitSha: mergedAt === null ? null : item.textOrNull('merge_commit_sha'),
  };
}

const REVIEW_STATES = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
} as const satisfies Record<string, ReviewFact['state']>;

function parseReview(item: JsonReader): ReviewFact {
  const user = item.objectOrNull('user');
  const state = item.readChoice('state', ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED']);
  return {
    id: item.integer('id'),
    userId: user?.integer('id') ?? null,
    login: user?.text('login') ?? null,
    state: REVIEW_STATES[state],
    commitSha: item.textOrNull('commit_id'),
    submittedAt: item.text('submitted_at'),
  };
}

export interface OpenPullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly milestoneNumber: number | null;
  /** Null if the account no longer exists. */
  readonly authorLogin: string | null;
  readonly headRef: string;
  readonly headSha: Sha;
  /** Whether the branch belongs to another repository, also if that repository was deleted. */
  readonly fromFork: boolean;
  readonly baseRef: string;
}

export class OpenPullRequests {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Lists all open pull requests, including drafts and those of forks. */
  async list(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<readonly OpenPullRequest[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.pulls.list,
      { state: 'open', sort: 'created', direction: 'asc', per_page: 100 },
      (page) => page.items().map((item) => parseOpenPull(item, ref.id)),
      signal,
    );
  }
}

function parseOpenPull(item: JsonReader, repositoryId: number): OpenPullRequest {
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
