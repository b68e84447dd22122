import { Octokit } from '@octokit/rest';
import type { EndpointDefaults, OctokitResponse } from '@octokit/types';
import type { Clock } from '../../config/clock.js';
import type { Metrics } from '../../observability/metrics.js';
import type { GitHubSettings } from '../github-settings.js';
import { ApiTransport, type ApiResponse, type BudgetStatus } from './api-transport.js';
import { CallMetrics } from './call-metrics.js';
import type { GitHubClock } from './github-clock.js';
import { GitHubError } from './github-error.js';
import type { HttpRequest } from './http-exchange.js';
import { AppJwt, type InstallationToken, InstallationTokens } from './installation-tokens.js';
import type { JsonReader } from './json-reader.js';
import { APP_SCOPE, type InstallationScope, type TokenScope } from './token-scope.js';

/** A method of `octokit.rest`, which is one route of GitHub's REST API. */
export interface RestMethod {
  (parameters: never): Promise<{ readonly data: unknown }>;
  readonly defaults: Octokit['request']['defaults'];
  readonly endpoint: { readonly DEFAULTS: { readonly method: string; readonly url: string } };
}

/** Octokit's options, which a method accepts besides GitHub's parameters. */
type OctokitOption = 'baseUrl' | 'headers' | 'mediaType' | 'operationName' | 'query' | 'request';

/** GitHub's parameters of a method. Octokit's own type also accepts parameters of any other name. */
export type ParametersOf<M extends RestMethod> = Named<NonNullable<Parameters<M>[0]>>;
type Named<T> = {
  [
    Key in keyof T as string extends Key ? never : number extends Key ? never : Key extends OctokitOption ? never : Key
  ]: T[Key];
};

export interface CallOptions {
  /** For writes: whether a second attempt is harmless. Reads can always be retried. */
  readonly idempotent?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called right before each request is sent. If it throws, the request is not sent. */
  readonly onSend?: (() => void) | undefined;
}

/** The options that Octokit passes to our transport unchanged. */
interface Call extends CallOptions {
  readonly scope: TokenScope;
  readonly route: string;
}

/** Wraps an error on its way through Octokit, whose pagination takes an error with the status 409 for the end of a list. */
class FailedCall extends Error {
  constructor(cause: unknown) {
    super('The call failed.', { cause });
  }
}

const API_VERSION = '2022-11-28';
/** 10,000 items with 100 per page. A longer list is rejected. */
const MAX_PAGES = 100;
const MAX_READS = 3;

/** Calls GitHub as the app, as one of its installations or as a user. */
export class GitHubClient {
  /** The methods of GitHub's REST API, for `call`, `pages`, `walk` and `list`. */
  readonly rest: Octokit['rest'];
  private readonly octokit: Octokit;
  private readonly transport: ApiTransport;
  private readonly jwt: AppJwt;
  private readonly tokens: InstallationTokens;

  constructor(
    private readonly settings: GitHubSettings,
    clock: Clock,
    gitHubClock: GitHubClock,
    metrics: Metrics | undefined,
  ) {
    this.octokit = new Octokit({ baseUrl: settings.apiUrl.replace(/\/+$/, '') });
    // Replaces Octokit's transport, which has no budgets, no conditional requests and no limits.
    this.octokit.hook.wrap('request', (_request, options) => this.answer(options));
    this.rest = this.octokit.rest;
    this.transport = new ApiTransport(settings, clock, gitHubClock, metrics ? new CallMetrics(metrics) : null);
    this.jwt = new AppJwt(settings, clock);
    this.tokens = new InstallationTokens((scope) => this.createToken(scope), clock);
  }

  async call<M extends RestMethod>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    options: CallOptions = {},
  ): Promise<JsonReader> {
    const call: Call = { ...options, scope, route: describeMethod(method) };
    return getBody(await unwrapError(method({ ...parameters, request: { call } } as never)));
  }

  /** Returns the first pages, at most `limit`. */
  async pages<M extends RestMethod>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly [JsonReader, ...JsonReader[]]> {
    const pages: JsonReader[] = [];
    for await (const page of this.walk(scope, method, parameters, limit, signal)) pages.push(page);
    // There is always a first page.
    return pages as [JsonReader, ...JsonReader[]];
  }

  /** Yields at most `limit` pages. Requests a page only when the caller needs it. */
  async *walk<M extends RestMethod>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    limit: number,
    signal?: AbortSignal,
  ): AsyncGenerator<JsonReader> {
    const call: Call = { scope, signal, route: describeMethod(method) };
    // Octokit requests each page with only the method's defaults and the address.
    const route = method.defaults({ request: { call } });
    const pages = this.octokit.paginate.iterator(route, parameters as never)[Symbol.asyncIterator]();
    for (let walked = 0; walked < limit; walked += 1) {
      const page = await unwrapError(pages.next());
      if (page.done === true) return;
      yield getBody(page.value);
    }
  }

  /**
   * Returns the items of all pages. An item that moves to another page during the read could be missed. So a list of several
   * pages is read until two reads are equal. A second read of unchanged pages costs no calls of the rate limit.
   */
  async list<M extends RestMethod, T>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    read: (page: JsonReader) => readonly T[],
    signal?: AbortSignal,
  ): Promise<readonly T[]> {
    let earlier: string | null = null;
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const pages = await this.pages(scope, method, parameters, MAX_PAGES + 1, signal);
      if (pages.length > MAX_PAGES)
        throw new GitHubError('malformed', `${describeMethod(method)}: more than ${MAX_PAGES} pages`);
      const items = pages.flatMap(read);
      if (pages.length === 1) return items;
      const now = JSON.stringify(items);
      if (now === earlier) return items;
      earlier = now;
    }
    throw new GitHubError(
      'unavailable',
      `${describeMethod(method)}: the list changed during each of ${MAX_READS} reads`,
    );
  }

  /**
   * Returns whether the scope's tokens have a permission; true if GitHub does not report permissions. A cached token may be
   * older than a new grant, so it is replaced if it lacks the permission. `withNewToken` replaces it in any case.
   */
  async isGranted(
    scope: TokenScope,
    permission: string,
    {
      withNewToken = false,
      signal,
    }: { readonly withNewToken?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    if (scope.kind !== 'installation') return true;
    this.transport.assertAllowed(scope);
    const cached = await this.tokens.get(scope, signal);
    if (!withNewToken && hasPermission(cached, permission)) return true;
    this.tokens.drop(scope, cached);
    return hasPermission(await this.tokens.get(scope, signal), permission);
  }

  budgets(): readonly BudgetStatus[] {
    return this.transport.listBudgets();
  }

  /** Sends Octokit's request and returns the parsed body and the address of the next page. */
  private async answer(options: Required<EndpointDefaults>): Promise<OctokitResponse<JsonReader>> {
    try {
      const prepared = this.prepare(options);
      const { body, next } = await this.send(prepared, options.request['call'] as Call);
      return {
        status: 200,
        url: prepared.url,
        headers: { ...(next !== null && { link: `<${next}>; rel="next"` }) },
        data: body,
      };
    } catch (error) {
      throw new FailedCall(error);
    }
  }

  private async send(prepared: HttpRequest, call: Call): Promise<ApiResponse> {
    const { scope, signal } = call;
    if (scope.kind === 'app') return this.sendWith(await this.jwt.sign(), prepared, call);
    if (scope.kind === 'user') return this.sendWith(scope.token, prepared, call);
    // Do not create a token for a call that would not be sent.
    this.transport.assertAllowed(scope);
    const token = await this.tokens.get(scope, signal);
    try {
      return await this.sendWith(token.secret, prepared, call);
    } catch (error) {
      if (!GitHubError.is(error, 'unauthorized')) throw error;
      // GitHub may revoke a token early. A call with the response 401 had no effect.
      this.tokens.drop(scope, token);
      const fresh = await this.tokens.get(scope, signal);
      return this.sendWith(fresh.secret, prepared, call);
    }
  }

  private async sendWith(
    secret: string,
    prepared: HttpRequest,
    { scope, route, idempotent = false, signal, onSend }: Call,
  ): Promise<ApiResponse> {
    const headers = { ...prepared.headers, authorization: `Bearer ${secret}` };
    const isRepeatable = idempotent || prepared.method === 'GET';
    return this.transport.send({ ...prepared, headers, route, scope, idempotent: isRepeatable, onSend }, signal);
  }

  private async createToken(scope: InstallationScope): Promise<InstallationToken> {
    const body = await this.call(
      APP_SCOPE,
      this.rest.apps.createInstallationAccessToken,
      {
        installation_id: scope.installationId,
        ...(scope.repositoryId === null ? {} : { repository_ids: [scope.repositoryId] }),
      },
      // A second token is harmless if the first response was lost.
      { idempotent: true },
    );
    const expiresAt = new Date(body.text('expires_at'));
    if (Number.isNaN(expiresAt.getTime())) throw new GitHubError('malformed', 'a token expires at no date');
    const permissions = body.objectOrNull('permissions')?.texts() ?? null;
    return { secret: body.text('token'), expiresAt, permissions };
  }

  private prepare(options: Required<EndpointDefaults>): HttpRequest {
    const parsed = this.octokit.request.endpoint.parse(options);
    // The address of a next page comes from GitHub. Octokit would take `:name` in it for a parameter.
    const url = options.url.startsWith('/') ? parsed.url : options.url;
    if (!isSafePath(url)) {
      const [address = ''] = options.url.split('?', 1);
      throw new GitHubError('invalid', `${options.method} ${address}: a parameter does not fit into the address`);
    }
    return {
      method: parsed.method,
      url,
      headers: {
        ...toStrings(parsed.headers),
        accept: 'application/vnd.github+json',
        'user-agent': this.settings.userAgent ?? 'shipgate',
        'x-github-api-version': API_VERSION,
      },
      ...(parsed.body === undefined ? {} : { body: JSON.stringify(parsed.body) }),
    };
  }
}

/** Restores the error that was wrapped for Octokit. */
async function unwrapError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof FailedCall ? error.cause : error;
  }
}

const getBody = ({ data }: { readonly data: unknown }): JsonReader => data as JsonReader;

const describeMethod = (method: RestMethod): string => {
  const { method: verb, url } = method.endpoint.DEFAULTS;
  return `${verb} ${url}`;
};

const hasPermission = ({ permissions }: InstallationToken, name: string): boolean =>
  permissions === null || permissions[name] !== undefined;

const toStrings = (headers: Readonly<Record<string, string | number | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** Returns false if a parameter is "..", "." or empty, because the path would then be another route. */
function isSafePath(url: string): boolean {
  const [address = ''] = url.split('?', 1);
  const { origin, pathname } = new URL(address);
  return address === `${origin}${pathname}` && !pathname.includes('//');
}
