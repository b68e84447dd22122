import { Injectable } from '@nestjs/common';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import type { IssueFact } from '../../../domain/facts/facts.js';
import { isApplied, type ScopeChange, type ScopedIssue } from '../../../domain/release/scope-change.js';
import type { AssignableUser } from '../../../github/api/issues.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { PersonalToken, type RepositoryRef } from '../../../github/transport/token-scope.js';
import { DomainError, releaseNotFound } from '../../../http/errors/domain-error.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import { RateLimitLeases } from '../../../http/rate-limit/rate-limit-leases.js';
import type { RateLimitPolicy } from '../../../http/rate-limit/rate-limits.js';
import { UserTokensService } from '../../accounts/users/user-tokens.service.js';
import {
  repositoryArchived,
  githubForbidden,
  issueInOtherRelease,
  triagePermissionMissing,
  milestoneOutdated,
  issueNotFound,
  assigneeRejected,
  ChangeOutcomeUnknownError,
  githubTokenRejected,
  scopeWriteLimitReached,
} from '../releases.errors.js';
import type { ScopedRelease } from './scope.repository.js';

/**
 * GitHub allows 80 content-creating requests per minute and 500 per hour ("Rate limits for the REST API", secondary limits). The
 * rest is left for the user's own work on GitHub.
 */
const WRITES: readonly RateLimitPolicy[] = [
  { name: 'scope-writes', limit: 60, windowSeconds: 60 },
  { name: 'scope-writes-an-hour', limit: 400, windowSeconds: 3_600 },
];

const READ_MS = 5_000;
const WRITE_MS = 10_000;

const NOT_CHANGED = 'The issue was not changed. Try again soon.';

const isUnanswered = (error: unknown): boolean => GitHubError.is(error, 'unavailable', 'timeout', 'malformed');

/** How long a caller waits for GitHub's answer about the user's permissions, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Reads and changes issues on GitHub in the name of the user, within the permissions that the user has now. Limits the writes per
 * user across all instances.
 */
@Injectable()
export class ScopeGitHubService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
    private readonly tokens: UserTokensService,
    private readonly leases: RateLimitLeases,
  ) {}

  /**
   * Reads the issue with the user's token, so that reads of arbitrary numbers use the user's rate limit and not the app's. Throws
   * `not_found` if there is none, `unavailable` if GitHub does not answer.
   */
  async read(ref: RepositoryRef, number: number): Promise<ScopedIssue> {
    try {
      const issue = await this.github.issueAssignments.find(ref, number, AbortSignal.timeout(READ_MS));
      if (issue) return issue;
    } catch (error) {
      throw this.toDomainError(error, number);
    }
    throw issueNotFound(number);
  }

  /**
   * Applies a change in the name of the user and returns the changed issue. Throws `forbidden` if the user may not do it,
   * `unprocessable` if the owner cannot be assigned, `rate_limited` before GitHub's limit is reached, and
   * `ChangeOutcomeUnknownError` if the result is unknown.
   */
  async apply(user: User, writer: RepositoryRef, release: ScopedRelease, change: ScopeChange): Promise<ScopedIssue> {
    await this.spend(user);
    const issue = await this.send(writer, release, change);
    if (isApplied(change, issue, release.milestoneGithubId)) return issue;
    // GitHub does not report what it ignored; it only returns the issue as it is.
    if (change.action === 'assign') throw assigneeRejected(change.assignee);
    if (change.action === 'link' && issue.milestone) throw issueInOtherRelease(change.number, issue.milestone.title);
    throw githubForbidden();
  }

  /**
   * Sends the change again if the result is unknown. A second rejection is no proof, because the first request may have taken
   * effect or may still do so.
   */
  private async send(writer: RepositoryRef, release: ScopedRelease, change: ScopeChange): Promise<ScopedIssue> {
    const signal = AbortSignal.timeout(WRITE_MS);
    try {
      return await this.write(writer, release, change, signal);
    } catch (error) {
      if (!isUnanswered(error)) throw this.toWriteError(error, change);
      const issue = await this.findApplied(release, change);
      if (issue !== null) return issue;
    }
    try {
      return await this.write(writer, release, change, signal);
    } catch (error) {
      const issue = isUnanswered(error) ? await this.findApplied(release, change) : null;
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
    const { issueAssignments } = this.github;
    const { number } = change;
    if (change.action === 'assign') return issueAssignments.addAssignee(writer, number, change.assignee, signal);
    if (change.action === 'unassign') return issueAssignments.removeAssignee(writer, number, change.assignee, signal);
    return issueAssignments.setMilestone(writer, number, change.action === 'link' ? milestoneNumber : null, signal);
  }

  /**
   * Returns the issue if it shows the change whose response was lost; null if it does not, or not yet. Reads with the app's
   * token, which may work when the user's does not.
   */
  private async findApplied(release: ScopedRelease, change: ScopeChange): Promise<ScopedIssue | null> {
    try {
      const issue = await this.read(release.repository.ref, change.number);
      return isApplied(change, issue, release.milestoneGithubId) ? issue : null;
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }

  private toWriteError(error: unknown, change: ScopeChange): unknown {
    if (!GitHubError.is(error, 'invalid')) return this.toDomainError(error, change.number);
    return change.action === 'assign' ? assigneeRejected(change.assignee) : milestoneOutdated(error);
  }

  private toDomainError(error: unknown, number: number): unknown {
    if (GitHubError.is(error, 'unauthorized')) return githubTokenRejected();
    if (GitHubError.is(error, 'forbidden')) return githubForbidden(error);
    if (GitHubError.is(error, 'not_found')) return issueNotFound(number);
    return error instanceof GitHubError
      ? githubUnavailable(error, { now: this.clock.now(), nextStep: NOT_CHANGED })
      : error;
  }

  /**
   * Returns the repository with the user's token. Throws `forbidden` without triage permission or a valid token, `not_found` if
   * the user cannot read it, `unavailable` if GitHub does not answer.
   */
  async verify(user: User, ref: RepositoryRef): Promise<RepositoryRef> {
    const token = await this.answer(() => this.tokens.findAccessToken(user.id));
    if (token === null) throw githubTokenRejected();
    const writer = { ...ref, as: new PersonalToken(token) };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { value: repository } = await this.answer(() => this.github.repositories.find(writer, signal));
    if (repository === null) throw releaseNotFound();
    const name = `${repository.owner}/${repository.name}`;
    // GitHub always returns it for a user: "the access the user has to each repository" (permissions, in "Repositories").
    if (repository.rights?.triage !== true) throw triagePermissionMissing(name);
    if (repository.archived) throw repositoryArchived(name);
    return writer;
  }

  private async answer<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized')) throw githubTokenRejected();
      if (GitHubError.is(error, 'forbidden')) throw githubForbidden(error);
      // The repository was deleted meanwhile, or the user lost access to it.
      if (GitHubError.is(error, 'not_found')) throw releaseNotFound();
      if (error instanceof GitHubError) throw githubUnavailable(error, { now: this.clock.now() });
      throw error;
    }
  }

  /** Lists open issues without a milestone that match, newest first. Throws the errors of `verify`. */
  async searchCandidates(
    reader: RepositoryRef,
    search: { readonly matches: (issue: IssueFact) => boolean; readonly limit: number },
  ): Promise<readonly IssueFact[]> {
    const signal = AbortSignal.timeout(READ_MS);
    return this.answer(() => this.github.issueAssignments.searchWithoutMilestone(reader, search, signal));
  }

  /** Lists the users to whom issues can be assigned, at most 1,000. Throws the errors of `verify`. */
  async listAssignees(reader: RepositoryRef): Promise<readonly AssignableUser[]> {
    const signal = AbortSignal.timeout(READ_MS);
    return this.answer(() => this.github.issueAssignments.listAssignees(reader, signal));
  }

  /** Counts one write. Throws `rate_limited` above the limit. */
  async spend({ id }: User): Promise<void> {
    for (const policy of WRITES) {
      const { allowed, resetsInSeconds } = await this.leases.consume(policy, `person:${id}`);
      if (!allowed) throw scopeWriteLimitReached(resetsInSeconds);
    }
  }
}
