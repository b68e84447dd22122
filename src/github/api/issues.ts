import type { FactValues, IssueFact } from '../../domain/facts/facts.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { Observed } from '../transport/observed.js';
import type { RepositoryRef } from '../transport/repository-ref.js';
import type { RepositoryCalls } from './repository-calls.js';

export class Issues {
  constructor(private readonly calls: RepositoryCalls) {}

  /** The issues of a milestone, open and closed; the pull requests that carry it are left out. */
  async ofMilestone(
    ref: RepositoryRef,
    milestoneNumber: number,
    signal?: AbortSignal,
  ): Promise<Observed<readonly IssueFact[]>> {
    return this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/issues',
      { milestone: String(milestoneNumber), state: 'all', sort: 'created', direction: 'asc', per_page: 100 },
      (page) =>
        page
          .items()
          .filter((item) => !item.has('pull_request'))
          .map(issueOf),
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
      'GET /repos/{owner}/{repo}/issues/{issue_number}/timeline',
      { issue_number: issueNumber, per_page: 100 },
      (page) => page.items().map(linkOf),
      signal,
    );
    const mentioned = links.includes('mentioned');
    const connections = links.reduce((count, link) => count + (CONNECTION_CHANGE[link] ?? 0), 0);
    return { value: { linked: mentioned || connections > 0 }, observedAt };
  }
}

/** What an entry of the timeline says of pull requests; the host does not tell which one a connection is to. */
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
export function issueOf(item: JsonReader): IssueFact {
  return {
    number: item.integer('number'),
    title: item.text('title'),
    state: item.oneOf('state', ['open', 'closed']),
    assignees: item.listOrEmpty('assignees').map((assignee) => assignee.text('login')),
    labels: item.list('labels').map((label) => label.text('name')),
    url: item.text('html_url'),
  };
}
