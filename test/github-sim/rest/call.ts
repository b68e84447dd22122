import type { Repository } from '../state/repository.js';
import type { User } from '../state/user.js';
import type { SimulatedGitHubState } from '../state/simulated-github-state.js';
import { ApiError, invalid } from './api-error.js';
import type { Caller } from './caller.js';

export interface Answer {
  readonly status: number;
  /** JSON, or bytes that are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const LARGEST_PAGE = 100;

/** One request, with the values that its route needs. */
export class Call {
  constructor(
    readonly state: SimulatedGitHubState,
    readonly caller: Caller,
    readonly url: URL,
    readonly params: Readonly<Record<string, string>>,
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    private readonly body: unknown,
  ) {}

  param(name: string): string {
    return this.params[name] ?? '';
  }

  number(name: string): number {
    return Number(this.param(name));
  }

  query(name: string): string | undefined {
    return this.url.searchParams.get(name) ?? undefined;
  }

  /** The fields of the body. An array or an empty body has none. */
  get fields(): Readonly<Record<string, unknown>> {
    return typeof this.body === 'object' && this.body !== null ? (this.body as Record<string, unknown>) : {};
  }

  /** A text field; undefined if it is absent or null. */
  text(name: string): string | undefined {
    const value = this.fields[name] ?? undefined;
    if (value !== undefined && typeof value !== 'string') throw invalid({ field: name, code: 'invalid' });
    return value;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw invalid({ field: name, code: 'missing_field' });
    return value;
  }

  texts(name: string): readonly string[] {
    const value = this.fields[name] ?? [];
    if (!Array.isArray(value)) throw invalid({ field: name, code: 'invalid' });
    return value.map(String);
  }

  /** The account that performs the request: a user, or the bot of an app. */
  get actor(): User {
    if (this.caller.kind === 'installation') return this.caller.installation.app.bot;
    if (this.caller.kind === 'user') return this.caller.user;
    throw new ApiError(401, 'Requires authentication');
  }

  /** One page of a list with its `Link` header, in an envelope if the operation has one. */
  page<T>(
    items: readonly T[],
    view: (item: T) => unknown,
    envelope?: (page: unknown[], total: number) => object,
  ): Answer {
    const perPage = Math.min(LARGEST_PAGE, Math.max(1, Number(this.query('per_page') ?? 30) || 30));
    const page = Math.max(1, Number(this.query('page') ?? 1) || 1);
    const last = Math.max(1, Math.ceil(items.length / perPage));
    const visible = items.slice((page - 1) * perPage, page * perPage).map((item) => view(item));
    const link = this.link(page, last);
    return {
      status: 200,
      body: envelope ? envelope(visible, items.length) : visible,
      ...(link !== '' && { headers: { link } }),
    };
  }

  /**
   * One page of a list with cursors. A cursor names the place where a page begins, so that new items do not move the
   * pages.
   */
  cursorPage(items: readonly object[]): Answer {
    const perPage = Math.min(LARGEST_PAGE, Math.max(1, Number(this.query('per_page') ?? 30) || 30));
    const remaining = Number(this.query('cursor')?.replace(/^v1_/, '') ?? items.length);
    const start = Math.max(0, items.length - remaining);
    const visible = items.slice(start, start + perPage);
    const next = new URL(this.url);
    next.searchParams.set('cursor', `v1_${remaining - visible.length}`);
    const isLast = start + visible.length >= items.length;
    return { status: 200, body: visible, ...(!isLast && { headers: { link: `<${next.href}>; rel="next"` } }) };
  }

  private link(page: number, last: number): string {
    const target = (number: number) => {
      const url = new URL(this.url);
      url.searchParams.set('page', String(number));
      return url.href;
    };
    const relations: (readonly [string, number])[] = [];
    if (page > 1) relations.push(['prev', page - 1], ['first', 1]);
    if (page < last) relations.push(['next', page + 1], ['last', last]);
    return relations.map(([relation, number]) => `<${target(number)}>; rel="${relation}"`).join(', ');
  }
}

/** A call below `/repos/{owner}/{repo}` whose caller has access. */
export class RepositoryCall extends Call {
  constructor(
    call: Call,
    readonly repository: Repository,
    body: unknown,
  ) {
    super(call.state, call.caller, call.url, call.params, call.headers, body);
  }
}
