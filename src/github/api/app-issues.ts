import type { Markdown } from '../markdown.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** An issue that the app opened. */
export interface AppIssue {
  readonly number: number;
  readonly url: string;
}

/** The text of an issue, and whether it is open. */
export interface IssueContent {
  readonly title: string;
  readonly body: Markdown;
  readonly state: 'open' | 'closed';
}

/** Finds and writes the issues of the app itself. */
export class AppIssues {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Returns the oldest open issue of the author whose text begins with the marker; null if there is none. */
  async find(ref: RepositoryRef, author: string, marker: string, signal?: AbortSignal): Promise<AppIssue | null> {
    const { value: found } = await this.calls.list(
      ref,
      this.calls.rest.issues.listForRepo,
      { creator: author, state: 'open', sort: 'created', direction: 'asc', per_page: 100 },
      (page) =>
        page
          .items()
          .filter((item) => isBy(author, item) && (item.textOrNull('body') ?? '').startsWith(marker))
          .map(parseAppIssue),
      signal,
    );
    return found[0] ?? null;
  }

  /** Opens a new issue. Before a retry, the caller must look up the issue that an earlier call may have opened. */
  async create(
    ref: RepositoryRef,
    { title, body }: Omit<IssueContent, 'state'>,
    signal?: AbortSignal,
  ): Promise<AppIssue> {
    return this.calls.write(ref, this.calls.rest.issues.create, { title, body: body.text }, parseAppIssue, {
      idempotent: false,
      signal,
    });
  }

  /** Changes an issue. Fails as `not_found` if the issue was deleted. */
  async update(ref: RepositoryRef, number: number, content: IssueContent, signal?: AbortSignal): Promise<AppIssue> {
    const reason = content.state === 'closed' ? ({ state_reason: 'completed' } as const) : {};
    return this.calls.write(
      ref,
      this.calls.rest.issues.update,
      { issue_number: number, ...content, body: content.body.text, ...reason },
      parseAppIssue,
      { idempotent: true, signal },
    );
  }
}

/** Checks the author, because GitHub may ignore the filter for an unknown login. */
const isBy = (author: string, item: JsonReader): boolean =>
  !item.has('pull_request') && item.objectOrNull('user')?.text('login') === author;

const parseAppIssue = (item: JsonReader): AppIssue => ({ number: item.integer('number'), url: item.text('html_url') });
