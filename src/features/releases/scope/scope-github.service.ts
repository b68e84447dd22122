import { Injectable } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { isApplied, type ScopeChange, type ScopedIssue } from '../../../domain/release/scope-change.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { DomainError, releaseNotFound } from '../../../http/errors/domain-error.js';
import { RateLimitLeases } from '../../../http/rate-limit/rate-limit-leases.js';
import type { RateLimitPolicy } from '../../../http/rate-limit/rate-limits.js';
import { UserTokensService } from '../../accounts/users/user-tokens.service.js';
import {
  archivedRepository,
  githubForbidden,
  githubUnavailable,
  issueInOtherRelease,
  triagePermissionMissing,
  milestoneRefused,
  noSuchIssue,
  notAssignable,
  ChangeOutcomeUnknownError,
  githubTokenRejected,
  tooManyWrites,
} from './scope.errors.js';
import type { ScopedRelease } from './scope.repository.js';

/**
 * GitHub takes 80 requests that make content in a minute and 500 in an hour ("Rate limits for the REST API", secondary limits);
 * what is left is for what the person does there themselves.
 */
const WRITES: readonly RateLimitPolicy[] = [
  { name: 'scope-writes', limit: 60, windowSeconds: 60 },
  { name: 'scope-writes-an-hour', limit: 400, windowSeconds: 3_600 },
];

const READ_MS = 5_000;
const WRITE_MS = 10_000;

const isUnanswered = (error: unknown): boolean => GitHubError.is(error, 'unavailable', 'timeout', 'malformed');

/** How long somebody waits for the host's word of what they may do. */
const ANSWER_MS = 5_000;

/** Reads and changes the issues of releases on GitHub. Lets people change issues as themselves, as far as GitHub says now that they may. Bounds what is written to GitHub in one person's name, by all instances together. */
@Injectable()
export class ScopeGitHubService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
    private readonly tokens: UserTokensService,
    private readonly leases: RateLimitLeases,
  ) {}

  /**
   * The issue as it is now, as whoever is to change it sees it: what people look for at random is on their own account with
   * GitHub, not on the app's. Throws `not_found` where there is none, `unavailable` where GitHub does not say.
   */
  async read(ref: RepositoryRef, number: number): Promise<ScopedIssue> {
    try {
      const issue = await this.github.scopeIssues.find(ref, number, AbortSignal.timeout(READ_MS));
      if (issue) return issue;
    } catch (error) {
      throw this.refusalOf(error, number);
    }
    throw noSuchIssue(number);
  }

  /**
   * Makes a change as the person, and answers the issue after it. Throws `forbidden` where GitHub does not let the person,
   * `unprocessable` where it does not take the owner, `rate_limited` before it would take no more of them, and an
   * `ChangeOutcomeUnknownError` where it does not tell what became of it.
   */
  async apply(person: User, writer: RepositoryRef, release: ScopedRelease, change: ScopeChange): Promise<ScopedIssue> {
    await this.spend(person);
    const issue = await this.send(writer, release, change);
    if (isApplied(change, issue, release.milestoneGithubId)) return issue;
    // GitHub says nothing of what it left undone, and shows the issue as it is.
    if (change.action === 'assign') throw notAssignable(change.assignee);
    if (change.action === 'link' && issue.milestone) throw issueInOtherRelease(change.number, issue.milestone.title);
    throw githubForbidden();
  }

  /** Tried once more where nobody knows what became of it, and refused no more then: the first may have taken effect, or may yet. */
  private async send(writer: RepositoryRef, release: ScopedRelease, change: ScopeChange): Promise<ScopedIssue> {
    const signal = AbortSignal.timeout(WRITE_MS);
    try {
      return await this.write(writer, release, change, signal);
    } catch (error) {
      if (!isUnanswered(error)) throw this.refusalOfWrite(error, change);
      const issue = await this.lookAfter(release, change);
      if (issue !== null) return issue;
    }
    try {
      return await this.write(writer, release, change, signal);
    } catch (error) {
      const issue = isUnanswered(error) ? await this.lookAfter(release, change) : null;
      if (issue !== null) return issue;
      throw new ChangeOutcomeUnknownError(error);
    }
  }

  private write(
    writer: RepositoryRef,
    { milestoneNumber }: ScopedRelease,
    change: ScopeChange,
    signal: AbortSignal,
  ): Promise<ScopedIssue> {
    const { scopeIssues } = this.github;
    const { number } = change;
    if (change.action === 'assign') return scopeIssues.addAssignee(writer, number, change.assignee, signal);
    if (change.action === 'unassign') return scopeIssues.removeAssignee(writer, number, change.assignee, signal);
    return scopeIssues.setMilestone(writer, number, change.action === 'link' ? milestoneNumber : null, signal);
  }

  /**
   * The issue where it has the change that was sent and not answered; null where it has it not, or not yet. The app looks,
   * whom GitHub may answer all the same.
   */
  private async lookAfter(release: ScopedRelease, change: ScopeChange): Promise<ScopedIssue | null> {
    try {
      const issue = await this.read(release.repository.ref, change.number);
      return isApplied(change, issue, release.milestoneGithubId) ? issue : null;
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }

  private refusalOfWrite(error: unknown, change: ScopeChange): unknown {
    if (!GitHubError.is(error, 'invalid')) return this.refusalOf(error, change.number);
    return change.action === 'assign' ? notAssignable(change.assignee) : milestoneRefused(error);
  }

  private refusalOf(error: unknown, number: number): unknown {
    if (GitHubError.is(error, 'unauthorized')) return githubTokenRejected();
    if (GitHubError.is(error, 'forbidden')) return githubForbidden(error);
    if (GitHubError.is(error, 'not_found')) return noSuchIssue(number);
    return error instanceof GitHubError ? githubUnavailable(error, this.clock.now()) : error;
  }

  /**
   * The repository as the person reaches it. Throws `forbidden` where they may not triage it, or gave no token that GitHub
   * takes, `not_found` where they may not even read it, `unavailable` where GitHub does not say.
   */
  async verify(person: User, ref: RepositoryRef): Promise<RepositoryRef> {
    const token = await this.answer(() => this.tokens.findAccessToken(person.id));
    if (token === null) throw githubTokenRejected();
    const writer = { ...ref, as: new PersonalToken(token) };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { value: repository } = await this.answer(() => this.github.repositories.find(writer, signal));
    if (repository === null) throw releaseNotFound();
    const name = `${repository.owner}/${repository.name}`;
    // Of a person it is always told: "the access the user has to each repository" (permissions, in "Repositories").
    if (repository.rights?.triage !== true) throw triagePermissionMissing(name);
    if (repository.archived) throw archivedRepository(name);
    return writer;
  }

  private async answer<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized')) throw githubTokenRejected();
      if (GitHubError.is(error, 'forbidden')) throw githubForbidden(error);
      if (error instanceof GitHubError) throw githubUnavailable(error, this.clock.now());
      throw error;
    }
  }

  /** Counts one write. Throws `rate_limited` where there were too many. */
  async spend({ id }: User): Promise<void> {
    for (const policy of WRITES) {
      const { allowed, resetsInSeconds } = await this.leases.consume(policy, `person:${id}`);
      if (!allowed) throw tooManyWrites(resetsInSeconds);
    }
  }
}
