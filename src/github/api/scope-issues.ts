import type { ScopedIssue } from '../../domain/release/scope-change.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/repository-ref.js';
import { issueOf } from './issues.js';
import type { RepositoryCalls } from './repository-calls.js';

/**
 * Single issues, their milestones and their owners. GitHub leaves out in silence what a person may not set and who cannot be
 * an owner ("Update an issue", "Add assignees to an issue"), so each change answers the issue as it is then. None is sent a
 * second time by itself: what a second try is refused, the first may have done.
 */
export class ScopeIssues {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Null where the repository has none of this number: a pull request is none, nor is what was moved elsewhere. */
  async find(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<ScopedIssue | null> {
    const { owner, name } = await this.calls.locate(ref, signal);
    const { value: issue } = await this.calls.find(
      ref,
      'GET /repos/{owner}/{repo}/issues/{issue_number}',
      { issue_number: number },
      (body) => (isIssueOf(body, `${owner}/${name}`, number) ? scopedIssueOf(body) : null),
      signal,
    );
    return issue;
  }

  /** Null clears it. */
  async setMilestone(
    ref: RepositoryRef,
    number: number,
    milestone: number | null,
    signal?: AbortSignal,
  ): Promise<ScopedIssue> {
    return this.calls.write(
      ref,
      'PATCH /repos/{owner}/{repo}/issues/{issue_number}',
      { issue_number: number, milestone },
      scopedIssueOf,
      { idempotent: false, signal },
    );
  }

  async addAssignee(ref: RepositoryRef, number: number, login: string, signal?: AbortSignal): Promise<ScopedIssue> {
    return this.calls.write(
      ref,
      'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees',
      { issue_number: number, assignees: [login] },
      scopedIssueOf,
      { idempotent: false, signal },
    );
  }

  async removeAssignee(ref: RepositoryRef, number: number, login: string, signal?: AbortSignal): Promise<ScopedIssue> {
    return this.calls.write(
      ref,
      'DELETE /repos/{owner}/{repo}/issues/{issue_number}/assignees',
      { issue_number: number, assignees: [login] },
      scopedIssueOf,
      { idempotent: false, signal },
    );
  }
}

/** An issue that was transferred is answered as it is where it went. */
const isIssueOf = (body: JsonReader, repository: string, number: number): boolean =>
  !body.has('pull_request') &&
  body.integer('number') === number &&
  body.text('repository_url').toLowerCase().endsWith(`/repos/${repository.toLowerCase()}`);

function scopedIssueOf(body: JsonReader): ScopedIssue {
  const milestone = body.objectOrNull('milestone');
  return {
    ...issueOf(body),
    milestone: milestone && { githubId: milestone.integer('id'), title: milestone.text('title') },
  };
}
