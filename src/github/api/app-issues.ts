import type { Markdown } from '../markdown.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** An issue that the app opened. */
export interface OwnIssue {
  readonly number: number;
  readonly url: string;
}

/** The text of an issue, and whether it is open. */
export interface IssueContent {
  readonly title: string;
  readonly body: Markdown;
  readonly state: 'open' | 'closed';
}

/** The issues that the app itself writes; `issues` reads everybody's. */
export class AppIssues {
  constructor(private readonly calls: RepositoryCalls) {}

  /** The oldest open issue of that author whose text begins with the marker; null where there is none. */
  async find(ref: RepositoryRef, author: string, marker: string, signal?: AbortSignal): Promise<OwnIssue | null> {
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

  /** Made anew: whoever tries again looks for what an earlier try may have made. */
  async create(
    ref: RepositoryRef,
    { title, body }: Omit<IssueContent, 'state'>,
    signal?: AbortSignal,
  ): Promise<OwnIssue> {
    return this.calls.write(ref, this.calls.rest.issues.create, { title, body: body.text }, parseAppIssue, {
      idempotent: false,
      signal,
    });
  }

  /** Refused as `not_found` where somebody deleted it. */
  async update(ref: RepositoryRef, number: number, content: IssueContent, signal?: AbortSignal): Promise<OwnIssue> {
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

/** GitHub may leave out whom it was asked for where it does not know the login. */
const isBy = (author: string, item: JsonReader): boolean =>
  !item.has('pull_request') && item.objectOrNull('user')?.text('login') === author;

const parseAppIssue = (item: JsonReader): OwnIssue => ({ number: item.integer('number'), url: item.text('html_url') });
