import type { Sha } from '../git/git-object.js';
import { pullView } from '../views/pull-view.js';
import { teamView } from '../views/team-view.js';
import { userView } from '../views/user-view.js';
import { Pull } from './pull.js';
import { PullMerge, type MergeMethod } from './pull-merge.js';
import { ApiRejection } from './api-rejection.js';
import type { Repository } from './repository.js';
import { Reviews } from './reviews.js';
import type { Team } from './team.js';
import type { User } from './user.js';

interface PullSpec {
  readonly head: string;
  /** The repository of the head branch, if it is a fork. */
  readonly fork?: Repository;
  readonly base?: string;
  readonly title: string;
  readonly body?: string | null;
  readonly author?: User;
  readonly draft?: boolean;
}

interface MergeSpec {
  readonly method?: MergeMethod;
  readonly by?: User;
  /** If the head is another commit, the merge is rejected. */
  readonly expectedHead?: Sha;
  readonly title?: string;
  readonly message?: string;
}

/** The pull requests of a repository. */
export class Pulls {
  readonly reviews: Reviews;

  constructor(private readonly repository: Repository) {
    this.reviews = new Reviews(repository);
  }

  list(): readonly Pull[] {
    return this.repository.issues.list().flatMap(({ pull }) => pull ?? []);
  }

  find(number: number): Pull | null {
    return this.repository.issues.find(number)?.pull ?? null;
  }

  open({
    head,
    fork,
    base = this.repository.defaultBranch,
    title,
    body = null,
    author,
    draft = false,
  }: PullSpec): Pull {
    const { git, owner } = this.repository;
    if (fork) git.store.takeAll(fork.git.store);
    const [headSha, baseSha] = [(fork ?? this.repository).git.branchHead(head), git.branchHead(base)];
    if (headSha === null) throw new ApiRejection('invalid', 'Validation Failed', { field: 'head', code: 'invalid' });
    if (baseSha === null) throw new ApiRejection('invalid', 'Validation Failed', { field: 'base', code: 'invalid' });
    const isSame = (pull: Pull): boolean =>
      pull.headRef === head && pull.baseRef === base && pull.fork === (fork ?? null);
    if (this.list().some((pull) => pull.issue.state === 'open' && isSame(pull))) {
      const message = `A pull request already exists for ${owner.login}:${head}.`;
      throw new ApiRejection('invalid', 'Validation Failed', { code: 'custom', message });
    }
    if (git.ancestry.commitsBetween(baseSha, headSha).length === 0) {
      const message = `No commits between ${base} and ${head}`;
      throw new ApiRejection('invalid', 'Validation Failed', { code: 'custom', message });
    }
    const issue = this.repository.issues.add({ title, body, ...(author && { author }) });
    const pull = new Pull(issue, head, base, headSha, fork ?? null);
    pull.draft = draft;
    issue.pull = pull;
    this.announce(pull, { action: 'opened' }, issue.author);
    return pull;
  }

  close(pull: Pull, by: User = this.repository.owner.founder): void {
    if (pull.issue.state === 'closed') return;
    pull.freeze();
    this.repository.issues.close(pull.issue, by);
  }

  reopen(pull: Pull, by: User = this.repository.owner.founder): void {
    if (pull.mergedAt || this.repository.git.branchHead(pull.headRef) === null) {
      throw new ApiRejection('invalid', 'Validation Failed', { field: 'state', code: 'invalid' });
    }
    pull.thaw();
    this.repository.issues.reopen(pull.issue, by);
  }

  changeBase(pull: Pull, base: string, by: User = this.repository.owner.founder): void {
    const sha = this.repository.git.branchHead(base);
    if (sha === null) throw new ApiRejection('invalid', 'Validation Failed', { field: 'base', code: 'invalid' });
    const changes = { base: { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } } };
    pull.baseRef = base;
    this.announce(pull, { action: 'edited', changes }, by);
  }

  /** Merges by button: GitHub creates a commit on the base branch. Returns its SHA. */
  merge(pull: Pull, spec: MergeSpec = {}): Sha {
    const by = spec.by ?? this.repository.owner.founder;
    const { headSha, baseSha } = pull;
    const sha = new PullMerge(pull, by).perform(spec);
    pull.freeze(headSha, baseSha);
    this.markMerged(pull, sha, by);
    this.repository.setBranch(pull.baseRef, sha, by);
    this.closeMentionedIssues(pull, by);
    return sha;
  }

  requestTeam(pull: Pull, team: Team, by: User = this.repository.owner.founder): void {
    if (pull.requestedTeams.includes(team)) return;
    pull.requestedTeams.push(team);
    this.announce(pull, { action: 'review_requested', requested_team: teamView(team) }, by);
  }

  requestReviewer(pull: Pull, user: User, by: User = this.repository.owner.founder): void {
    if (pull.requestedReviewers.includes(user)) return;
    pull.requestedReviewers.push(user);
    this.announce(pull, { action: 'review_requested', requested_reviewer: userView(user) }, by);
  }

  /** Updates open pull requests after a push: moves their heads, and merges one whose head is now in its base. */
  branchMoved(branch: string, before: Sha | null, after: Sha, by: User): void {
    const { ancestry } = this.repository.git;
    for (const pull of this.list().filter(({ issue }) => issue.state === 'open')) {
      if (pull.headRef === branch && pull.fork === null) {
        pull.recordHead(after);
        this.announce(pull, { action: 'synchronize', before: before ?? after, after }, by);
      } else if (pull.baseRef === branch && ancestry.isAncestor(pull.headSha, after)) {
        pull.freeze(pull.headSha, before ?? after);
        this.markMerged(pull, after, by);
      }
    }
  }

  /** Closes the open pull requests whose head branch or base branch was deleted. */
  branchDeleted(branch: string, by: User): void {
    for (const pull of this.list()) {
      const ends = pull.fork ? [pull.baseRef] : [pull.headRef, pull.baseRef];
      if (pull.issue.state === 'open' && ends.includes(branch)) this.close(pull, by);
    }
  }

  private markMerged(pull: Pull, sha: Sha, by: User): void {
    pull.mergedAt = this.repository.state.now();
    pull.mergedBy = by;
    pull.mergeCommitSha = sha;
    this.repository.issues.close(pull.issue, by);
  }

  /** After a merge into the default branch, closes the issues with "closes #n" in the description. */
  private closeMentionedIssues(pull: Pull, by: User): void {
    if (pull.baseRef !== this.repository.defaultBranch) return;
    for (const [, number] of (pull.issue.body ?? '').matchAll(
      /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi,
    )) {
      const issue = this.repository.issues.find(Number(number));
      if (issue && !issue.pull) this.repository.issues.close(issue, by);
    }
  }

  private announce(pull: Pull, payload: object, by: User): void {
    pull.issue.updatedAt = this.repository.state.now();
    this.repository.emit('pull_request', { ...payload, number: pull.number, pull_request: pullView(pull) }, by);
  }
}
