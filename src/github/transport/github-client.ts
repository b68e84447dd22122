import { Octokit } from '@octokit/rest';
import type { Endpoints } from '@octokit/types';
import type { Clock } from '../../config/clock.js';
import type { GitHubSettings } from '../github-settings.js';
import { ApiTransport, type ApiAnswer, type BudgetStanding } from './api-transport.js';
import type { HostClock } from './github-clock.js';
import { GitHubError } from './github-error.js';
import { AppJwt, type InstallationToken, InstallationTokens } from './installation-tokens.js';
import type { JsonReader } from './json-reader.js';
import { APP_SCOPE, type InstallationScope, type TokenScope } from './token-scope.js';

/** A route of GitHub's REST interface, as its documentation writes it, and what that route takes. */
export type Route = keyof Endpoints;
export type ReadRoute = Extract<Route, `GET ${string}`>;
export type Parameters<R extends Route> = Endpoints[R]['parameters'];

export interface CallOptions {
  /** For writes: whether a second try does no harm. Reads always may be tried again. */
  readonly idempotent?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called right before the request goes out, each time that it does; where it throws, the request does not. */
  readonly onSend?: (() => void) | undefined;
}

interface PreparedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly onSend?: (() => void) | undefined;
}

const API_VERSION = '2022-11-28';
/** 10,000 items of 100 a page: what is longer is no list that a release can rest on. */
const MAX_PAGES = 100;
const WHOLE_READS = 3;

/** Calls GitHub as the app, as one of its installations, or as a person. */
export class GitHubClient {
  private readonly octokit = new Octokit();
  private readonly transport: ApiTransport;
  private readonly jwt: AppJwt;
  private readonly tokens: InstallationTokens;

  constructor(
    private readonly settings: GitHubSettings,
    clock: Clock,
    hostClock: HostClock,
  ) {
    this.transport = new ApiTransport(settings, clock, hostClock);
    this.jwt = new AppJwt(settings, clock);
    this.tokens = new InstallationTokens((scope) => this.createToken(scope), clock);
  }

  async call<R extends Route>(
    scope: TokenScope,
    route: R,
    parameters: Parameters<R>,
    { idempotent = false, signal, onSend }: CallOptions = {},
  ): Promise<ApiAnswer> {
    return this.send(scope, { ...this.prepare(route, parameters), onSend }, idempotent, signal);
  }

  /** The pages from the first on, `limit` of them at most. */
  async pages<R extends ReadRoute>(
    scope: TokenScope,
    route: R,
    parameters: Parameters<R>,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly [JsonReader, ...JsonReader[]]> {
    const pages: JsonReader[] = [];
    for await (const page of this.walk(scope, route, parameters, limit, signal)) pages.push(page);
    // There always is a first page.
    return pages as [JsonReader, ...JsonReader[]];
  }

  /** The same one after the other: a page is asked for when it is wanted, and not before. */
  async *walk<R extends ReadRoute>(
    scope: TokenScope,
    route: R,
    parameters: Parameters<R>,
    limit: number,
    signal?: AbortSignal,
  ): AsyncGenerator<JsonReader> {
    const first = this.prepare(route, parameters);
    let address: string | null = first.url;
    for (let walked = 0; address !== null && walked < limit; walked += 1) {
      const { body, next }: ApiAnswer = await this.send(scope, { ...first, url: address }, true, signal);
      yield body;
      address = next;
    }
  }

  /**
   * The whole list. Items that move from page to page while it is read could be missed, so a list of several pages
   * counts only when a second reading, which costs no budget where nothing changed, gives the same.
   */
  async list<R extends ReadRoute, T>(
    scope: TokenScope,
    route: R,
    parameters: Parameters<R>,
    read: (page: JsonReader) => readonly T[],
    signal?: AbortSignal,
  ): Promise<readonly T[]> {
    let earlier: string | null = null;
    for (let reads = 0; reads < WHOLE_READS; reads += 1) {
      const pages = await this.pages(scope, route, parameters, MAX_PAGES + 1, signal);
      if (pages.length > MAX_PAGES) throw new GitHubError('malformed', `${route}: more than ${MAX_PAGES} pages`);
      const items = pages.flatMap(read);
      if (pages.length === 1) return items;
      const now = JSON.stringify(items);
      if (now === earlier) return items;
      earlier = now;
    }
    throw new GitHubError('unavailable', `${route}: the list changed during each of ${WHOLE_READS} readings`);
  }

  /**
   * Whether the scope's tokens have a permission. A kept token may be older than the consent of the organization's owner,
   * so it is not believed where it says no; `anew` says not to believe it at all. True where the host does not tell.
   */
  async isGranted(
    scope: TokenScope,
    permission: string,
    { anew = false, signal }: { readonly anew?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    if (scope.kind !== 'installation') return true;
    this.transport.admit(scope);
    const kept = await this.tokens.get(scope, signal);
    if (!anew && allows(kept, permission)) return true;
    this.tokens.drop(scope, kept);
    return allows(await this.tokens.get(scope, signal), permission);
  }

  budgets(): readonly BudgetStanding[] {
    return this.transport.standings();
  }

  private async send(
    scope: TokenScope,
    call: PreparedCall,
    idempotent: boolean,
    signal?: AbortSignal,
  ): Promise<ApiAnswer> {
    if (scope.kind === 'app') return this.sendWith(await this.jwt.sign(), scope, call, idempotent, signal);
    if (scope.kind === 'user') return this.sendWith(scope.token, scope, call, idempotent, signal);
    // No token is asked for on behalf of a call that would not be sent.
    this.transport.admit(scope);
    const token = await this.tokens.get(scope, signal);
    try {
      return await this.sendWith(token.secret, scope, call, idempotent, signal);
    } catch (error) {
      if (!GitHubError.is(error, 'unauthorized')) throw error;
      // The host may revoke a token before its time; a call it refused with 401 had no effect.
      this.tokens.drop(scope, token);
      const fresh = await this.tokens.get(scope, signal);
      return this.sendWith(fresh.secret, scope, call, idempotent, signal);
    }
  }

  private async sendWith(
    secret: string,
    scope: TokenScope,
    call: PreparedCall,
    idempotent: boolean,
    signal?: AbortSignal,
  ): Promise<ApiAnswer> {
    const headers = { ...call.headers, authorization: `Bearer ${secret}` };
    return this.transport.send({ ...call, headers, scope, idempotent: idempotent || call.method === 'GET' }, signal);
  }

  private async createToken(scope: InstallationScope): Promise<InstallationToken> {
    const { body } = await this.call(
      APP_SCOPE,
      'POST /app/installations/{installation_id}/access_tokens',
      {
        installation_id: scope.installationId,
        ...(scope.repositoryId === null ? {} : { repository_ids: [scope.repositoryId] }),
      },
      // A second token beside a first that never arrived does no harm.
      { idempotent: true },
    );
    const expiresAt = new Date(body.text('expires_at'));
    if (Number.isNaN(expiresAt.getTime())) throw new GitHubError('malformed', 'a token expires at no date');
    const permissions = body.objectOrNull('permissions')?.texts() ?? null;
    return { secret: body.text('token'), expiresAt, permissions };
  }

  private prepare<R extends Route>(route: R, parameters: Parameters<R>): PreparedCall {
    const { method, url, headers, body } = this.octokit.request.endpoint(route as string, {
      ...parameters,
      baseUrl: this.settings.apiUrl.replace(/\/+$/, ''),
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': this.settings.userAgent ?? 'shipgate',
        'x-github-api-version': API_VERSION,
      },
    });
    if (!leadsWhereItSays(url)) throw new GitHubError('invalid', `${route}: a parameter does not fit into the address`);
    return {
      method,
      url,
      headers: stringsOf(headers),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }
}

const allows = ({ permissions }: InstallationToken, name: string): boolean =>
  permissions === null || permissions[name] !== undefined;

const stringsOf = (headers: Readonly<Record<string, string | number | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** False where a parameter of "..", "." or nothing would lead to another route than the one that was meant. */
function leadsWhereItSays(url: string): boolean {
  const [address = ''] = url.split('?', 1);
  const { origin, pathname } = new URL(address);
  return address === `${origin}${pathname}` && !pathname.includes('//');
}
