import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { isMade, type ScopeChange, type ScopedIssue } from '../../../domain/release/scope-change.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/repository-ref.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { OutcomeUnknown } from './outcome-unknown.js';
import {
  hostForbids,
  hostIsAway,
  inAnotherScope,
  milestoneRefused,
  noSuchIssue,
  notAssignable,
  signInAgain,
} from './scope-refusal.js';
import { ScopeWriteLimits } from './scope-write-limits.service.js';
import type { ScopedRelease } from './scoped-releases.reader.js';

const READ_MS = 5_000;
const WRITE_MS = 10_000;

/** Reads and changes the issues of releases on GitHub. */
@Injectable()
export class ScopeHost {
  constructor(
    private readonly github: GitHubGateway,
    private readonly limits: ScopeWriteLimits,
    private readonly clock: Clock,
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
   * `OutcomeUnknown` where it does not tell what became of it.
   */
  async make(person: Person, writer: RepositoryRef, release: ScopedRelease, change: ScopeChange): Promise<ScopedIssue> {
    await this.limits.spend(person);
    const issue = await this.send(writer, release, change);
    if (isMade(change, issue, release.milestoneGithubId)) return issue;
    // GitHub says nothing of what it left undone, and shows the issue as it is.
    if (change.action === 'assign') throw notAssignable(change.assignee);
    if (change.action === 'link' && issue.milestone) throw inAnotherScope(change.number, issue.milestone.title);
    throw hostForbids();
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
      throw new OutcomeUnknown(error);
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
      return isMade(change, issue, release.milestoneGithubId) ? issue : null;
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
    if (GitHubError.is(error, 'unauthorized')) return signInAgain();
    if (GitHubError.is(error, 'forbidden')) return hostForbids(error);
    if (GitHubError.is(error, 'not_found')) return noSuchIssue(number);
    return error instanceof GitHubError ? hostIsAway(error, this.clock.now()) : error;
  }
}

const isUnanswered = (error: unknown): boolean => GitHubError.is(error, 'unavailable', 'timeout', 'malformed');
