import type { FactValues, IssueFact } from '../../domain/facts/facts.js';
import type { ScopedIssue } from '../../domain/release/scope-change.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

export class Issues {
  constructor(private readonly calls: RepositoryCalls) {}

  /** The issues of a milestone, open and closed; the pull requests that carry it are left out. */
  async listByMilestone(
    ref: RepositoryRef,
    milestoneNumber: number,
    signal?: AbortSignal,
  ): Promise<Observed<readonly IssueFact[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.issues.listForRepo,
      { milestone: String(milestoneNumber), state: 'all', sort: 'created', direction: 'asc', per_page: 100 },
      (page) =>
        page
          .items()
          .filter((item) => !item.has('pull_request'))
          .map(parseIssue),
      signal,
    );
  }

  /** Whether a pull request mentions the issue or was connected to it by hand. */
  async linkedPulls(
    ref: RepositoryRef,
    issueNumber: number,
    signal?: AbortSignal,
  ): Promise<Observed<FactValues['pulls_of_issue']>> {
    const { value: links, observedAt } = await this.calls.list(
      ref,
      this.calls.rest.issues.listEventsForTimeline,
      { issue_number: issueNumber, per_page: 100 },
      (page) => page.items().map(linkOf),
      signal,
    );
    const mentioned = links.includes('mentioned');
    const connections = links.reduce((count, link) => count + (CONNECTION_CHANGE[link] ?? 0), 0);
    return { value: { linked: mentioned || connections > 0 }, observedAt };
  }
}

/** What an entry of the timeline says of pull requests; GitHub does not tell which one a connection is to. */
type Link = 'mentioned' | 'connected' | 'disconnected' | 'none';
const CONNECTION_CHANGE: Readonly<Partial<Record<Link, number>>> = { connected: 1, disconnected: -1 };

function linkOf(entry: JsonReader): Link {
  const event = entry.textOrNull('event');
  if (event === 'connected' || event === 'disconnected') return event;
  if (event !== 'cross-referenced') return 'none';
  const source = entry.object('source').objectOrNull('issue');
  return source?.has('pull_request') === true ? 'mentioned' : 'none';
}

/** Of a list, or by itself. */
function parseIssue(item: JsonReader): IssueFact {
  return {
    number: item.integer('number'),
    title: item.text('title'),
    state: item.oneOf('state', ['open', 'closed']),
    assignees: item.listOrEmpty('assignees').map((assignee) => assignee.text('login')),
    labels: item.list('labels').map((label) => label.text('name')),
    url: item.text('html_url'),
  };
}

/**
 * Single issues, their milestones and their owners. GitHub leaves out in silence what a person may not set and who cannot be
 * an owner ("Update an issue", "Add assignees to an issue"), so each change answers the issue as it is then. None is sent a
 * second time by itself: what a second try is refused, the first may have done.
 */
export class IssueAssignments {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Null where the repository has none of this number: a pull request is none, nor is what was moved elsewhere. */
  async find(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<ScopedIssue | null> {
    const { owner, name } = await this.calls.locate(ref, signal);
    const { value: issue } = await this.calls.find(
      ref,
      this.calls.rest.issues.get,
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
    return this.calls.write(ref, this.calls.rest.issues.update, { issue_number: number, milestone }, scopedIssueOf, {
      idempotent: false,
      signal,
    });
  }

  async addAssignee(ref: RepositoryRef, number: number, login: string, signal?: AbortSignal): Promise<ScopedIssue> {
    return this.calls.write(
      ref,
      this.calls.rest.issues.addAssignees,
      { issue_number: number, assignees: [login] },
      scopedIssueOf,
      { idempotent: false, signal },
    );
  }

  async removeAssignee(ref: RepositoryRef, number: number, login: string, signal?: AbortSignal): Promise<ScopedIssue> {
    return this.calls.write(
      ref,
      this.calls.rest.issues.removeAssignees,
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
    ...parseIssue(body),
    milestone: milestone && { githubId: milestone.integer('id'), title: milestone.text('title') },
  };
}
