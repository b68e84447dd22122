import type { FactValues, IssueFact } from '../../domain/facts/facts.js';
import type { ScopedIssue } from '../../domain/release/scope-change.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';
import type { GitHubUser } from './users.js';

export class Issues {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Lists the open and closed issues of a milestone, without its pull requests. */
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

  /** Returns whether a pull request mentions the issue or was linked to it manually. */
  async linkedPulls(
    ref: RepositoryRef,
    issueNumber: number,
    signal?: AbortSignal,
  ): Promise<Observed<FactValues['pulls_of_issue']>> {
    const { value: links, observedAt } = await this.calls.list(
      ref,
      this.calls.rest.issues.listEventsForTimeline,
      { issue_number: issueNumber, per_page: 100 },
      (page) => page.items().map(parseLink),
      signal,
    );
    const mentioned = links.includes('mentioned');
    const connections = links.reduce((count, link) => count + (CONNECTION_CHANGE[link] ?? 0), 0);
    return { value: { linked: mentioned || connections > 0 }, observedAt };
  }
}

/** The meaning of a timeline entry for links to pull requests. GitHub does not name the pull request of a connection. */
type Link = 'mentioned' | 'connected' | 'disconnected' | 'none';
const CONNECTION_CHANGE: Readonly<Partial<Record<Link, number>>> = { connected: 1, disconnected: -1 };

function parseLink(entry: JsonReader): Link {
  const event = entry.textOrNull('event');
  if (event === 'connected' || event === 'disconnected') return event;
  if (event !== 'cross-referenced') return 'none';
  const source = entry.object('source').objectOrNull('issue');
  return source?.has('pull_request') === true ? 'mentioned' : 'none';
}

function parseIssue(item: JsonReader): IssueFact {
  return {
    number: item.integer('number'),
    title: item.text('title'),
    state: item.readChoice('state', ['open', 'closed']),
    assignees: item.listOrEmpty('assignees').map((assignee) => assignee.text('login')),
    labels: item.list('labels').map((label) => label.text('name')),
    url: item.text('html_url'),
  };
}

/** A user to whom GitHub lets issues of the repository be assigned. */
export interface AssignableUser extends GitHubUser {
  readonly avatarUrl: string;
}

/** The limit of a search: 1,000 issues and pull requests, or 1,000 users. GitHub has no search for these lists. */
const MAX_PAGES = 10;

/**
 * Reads and changes the milestone and the assignees of issues. GitHub silently ignores values that the user may not set
 * and users who cannot be assigned ("Update an issue", "Add assignees to an issue"). So each change returns the resulting
 * issue. No change is retried, because the first call may have had its effect even if the second one is rejected.
 */
export class IssueAssignments {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Returns an issue; null if the repository has none of this number. Pull requests and transferred issues do not count. */
  async find(ref: RepositoryRef, number: number, signal?: AbortSignal): Promise<ScopedIssue | null> {
    const { owner, name } = await this.calls.locate(ref, signal);
    const { value: issue } = await this.calls.find(
      ref,
      this.calls.rest.issues.get,
      { issue_number: number },
      (body) => (isIssueOf(body, `${owner}/${name}`, number) ? parseScopedIssue(body) : null),
      signal,
    );
    return issue;
  }

  /**
   * Returns at most `limit` open issues without a milestone that match, newest first. Searches only the newest issues and pull
   * requests without a milestone.
   */
  async searchWithoutMilestone(
    ref: RepositoryRef,
    { matches, limit }: { readonly matches: (issue: IssueFact) => boolean; readonly limit: number },
    signal?: AbortSignal,
  ): Promise<readonly IssueFact[]> {
    const parameters = { milestone: 'none', state: 'open', per_page: 100 } as const;
    const found: IssueFact[] = [];
    for await (const page of this.calls.walk(ref, this.calls.rest.issues.listForRepo, parameters, MAX_PAGES, signal)) {
      const issues = page.items().filter((item) => !item.has('pull_request'));
      found.push(...issues.map(parseIssue).filter(matches));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  /** Lists the users to whom issues can be assigned, at most the first 1,000. */
  async listAssignees(ref: RepositoryRef, signal?: AbortSignal): Promise<readonly AssignableUser[]> {
    const { value: pages } = await this.calls.pages(
      ref,
      this.calls.rest.issues.listAssignees,
      { per_page: 100 },
      MAX_PAGES,
      signal,
    );
    return pages.flatMap((page) => page.items().map(parseAssignee));
  }

  /** Sets the milestone of an issue; null removes it. */
  async setMilestone(
    ref: RepositoryRef,
    number: number,
    milestone: number | null,
    signal?: AbortSignal,
  ): Promise<ScopedIssue> {
    return this.calls.write(ref, this.calls.rest.issues.update, { issue_number: number, milestone }, parseScopedIssue, {
      idempotent: false,
      signal,
    });
  }

  async addAssignee(ref: RepositoryRef, number: number, login: string, signal?: AbortSignal): Promise<ScopedIssue> {
    return this.calls.write(
      ref,
      this.calls.rest.issues.addAssignees,
      { issue_number: number, assignees: [login] },
      parseScopedIssue,
      { idempotent: false, signal },
    );
  }

  async removeAssignee(ref: RepositoryRef, number: number, login: string, signal?: AbortSignal): Promise<ScopedIssue> {
    return this.calls.write(
      ref,
      this.calls.rest.issues.removeAssignees,
      { issue_number: number, assignees: [login] },
      parseScopedIssue,
      { idempotent: false, signal },
    );
  }
}

const parseAssignee = (item: JsonReader): AssignableUser => ({
  id: item.integer('id'),
  login: item.text('login'),
  avatarUrl: item.text('avatar_url'),
});

/** GitHub answers for a transferred issue with the issue in its new repository. */
const isIssueOf = (body: JsonReader, repository: string, number: number): boolean =>
  !body.has('pull_request') &&
  body.integer('number') === number &&
  body.text('repository_url').toLowerCase().endsWith(`/repos/${repository.toLowerCase()}`);

function parseScopedIssue(body: JsonReader): ScopedIssue {
  const milestone = body.objectOrNull('milestone');
  return {
    ...parseIssue(body),
    milestone: milestone && { githubId: milestone.integer('id'), title: milestone.text('title') },
  };
}
