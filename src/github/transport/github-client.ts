import { Octokit } from '@octokit/rest';
import type { EndpointDefaults, OctokitResponse } from '@octokit/types';
import type { Clock } from '../../config/clock.js';
import type { GitHubSettings } from '../github-settings.js';
import { ApiTransport, type ApiAnswer, type BudgetStatus } from './api-transport.js';
import type { GitHubClock } from './github-clock.js';
import { GitHubError } from './github-error.js';
import { AppJwt, type InstallationToken, InstallationTokens } from './installation-tokens.js';
import type { JsonReader } from './json-reader.js';
import { APP_SCOPE, type InstallationScope, type TokenScope } from './token-scope.js';

/** A method of `octokit.rest`: one route of GitHub's REST interface. */
export interface RestMethod {
  (parameters: never): Promise<{ readonly data: unknown }>;
  readonly defaults: Octokit['request']['defaults'];
  readonly endpoint: { readonly DEFAULTS: { readonly method: string; readonly url: string } };
}

/** Options of Octokit itself, which a method takes beside GitHub's parameters. */
type OwnOption = 'baseUrl' | 'headers' | 'mediaType' | 'operationName' | 'query' | 'request';

/** GitHub's parameters of a method. Octokit's own type would let parameters of any other name pass as well. */
export type ParametersOf<M extends RestMethod> = Named<NonNullable<Parameters<M>[0]>>;
type Named<T> = {
  [
    Key in keyof T as string extends Key ? never : number extends Key ? never : Key extends OwnOption ? never : Key
  ]: T[Key];
};

export interface CallOptions {
  /** For writes: whether a second try does no harm. Reads always may be tried again. */
  readonly idempotent?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called right before the request goes out, each time that it does; where it throws, the request does not. */
  readonly onSend?: (() => void) | undefined;
}

/** A call as it passes through Octokit, which leaves it as it is. */
interface Call extends CallOptions {
  readonly scope: TokenScope;
}

interface PreparedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Octokit's pagination takes a failure with the status 409 for the end of a list. So a failure passes through it as a cause. */
class FailedCall extends Error {
  constructor(cause: unknown) {
    super('The call failed.', { cause });
  }
}

const API_VERSION = '2022-11-28';
/** 10,000 items of 100 a page: what is longer is no list that a release can rest on. */
const MAX_PAGES = 100;
const WHOLE_READS = 3;

/** Calls GitHub as the app, as one of its installations, or as a person. */
export class GitHubClient {
  /** The methods of GitHub's REST interface, for `call`, `pages`, `walk` and `list`. */
  readonly rest: Octokit['rest'];
  private readonly octokit: Octokit;
  private readonly transport: ApiTransport;
  private readonly jwt: AppJwt;
  private readonly tokens: InstallationTokens;

  constructor(
    private readonly settings: GitHubSettings,
    clock: Clock,
    hostClock: GitHubClock,
  ) {
    this.octokit = new Octokit({ baseUrl: settings.apiUrl.replace(/\/+$/, '') });
    // Instead of Octokit's own way to GitHub, which knows no budgets, no conditions and no bounds.
    this.octokit.hook.wrap('request', (_request, options) => this.answer(options));
    this.rest = this.octokit.rest;
    this.transport = new ApiTransport(settings, clock, hostClock);
    this.jwt = new AppJwt(settings, clock);
    this.tokens = new InstallationTokens((scope) => this.createToken(scope), clock);
  }

  async call<M extends RestMethod>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    options: CallOptions = {},
  ): Promise<JsonReader> {
    const call: Call = { ...options, scope };
    return bodyOf(await succeeding(method({ ...parameters, request: { call } } as never)));
  }

  /** The pages from the first on, `limit` of them at most. */
  async pages<M extends RestMethod>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly [JsonReader, ...JsonReader[]]> {
    const pages: JsonReader[] = [];
    for await (const page of this.walk(scope, method, parameters, limit, signal)) pages.push(page);
    // There always is a first page.
    return pages as [JsonReader, ...JsonReader[]];
  }

  /** The same one after the other: a page is asked for when it is wanted, and not before. */
  async *walk<M extends RestMethod>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    limit: number,
    signal?: AbortSignal,
  ): AsyncGenerator<JsonReader> {
    const call: Call = { scope, signal };
    // Octokit asks for each page with the method's defaults and the address alone.
    const route = method.defaults({ request: { call } });
    const pages = this.octokit.paginate.iterator(route, parameters as never)[Symbol.asyncIterator]();
    for (let walked = 0; walked < limit; walked += 1) {
      const page = await succeeding(pages.next());
      if (page.done === true) return;
      yield bodyOf(page.value);
    }
  }

  /**
   * The whole list. Items that move from page to page while it is read could be missed, so a list of several pages
   * counts only when a second reading, which costs no budget where nothing changed, gives the same.
   */
  async list<M extends RestMethod, T>(
    scope: TokenScope,
    method: M,
    parameters: ParametersOf<M>,
    read: (page: JsonReader) => readonly T[],
    signal?: AbortSignal,
  ): Promise<readonly T[]> {
    let earlier: string | null = null;
    for (let reads = 0; reads < WHOLE_READS; reads += 1) {
      const pages = await this.pages(scope, method, parameters, MAX_PAGES + 1, signal);
      if (pages.length > MAX_PAGES)
        throw new GitHubError('malformed', `${nameOfMethod(method)}: more than ${MAX_PAGES} pages`);
      const items = pages.flatMap(read);
      if (pages.length === 1) return items;
      const now = JSON.stringify(items);
      if (now === earlier) return items;
      earlier = now;
    }
    throw new GitHubError(
      'unavailable',
      `${nameOfMethod(method)}: the list changed during each of ${WHOLE_READS} readings`,
    );
  }

  /**
   * Whether the scope's tokens have a permission. A kept token may be older than the consent of the organization's owner,
   * so it is not believed where it says no; `anew` says not to believe it at all. True where GitHub does not tell.
   */
  async isGranted(
    scope: TokenScope,
    permission: string,
    { anew = false, signal }: { readonly anew?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    if (scope.kind !== 'installation') return true;
    this.transport.admit(scope);
    const cached = await this.tokens.get(scope, signal);
    if (!anew && allows(cached, permission)) return true;
    this.tokens.drop(scope, cached);
    return allows(await this.tokens.get(scope, signal), permission);
  }

  budgets(): readonly BudgetStatus[] {
    return this.transport.listBudgets();
  }

  /** What Octokit is answered: the body as it is to be read, and where the next page is. */
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

  private async send(prepared: PreparedCall, call: Call): Promise<ApiAnswer> {
    const { scope, signal } = call;
    if (scope.kind === 'app') return this.sendWith(await this.jwt.sign(), prepared, call);
    if (scope.kind === 'user') return this.sendWith(scope.token, prepared, call);
    // No token is asked for on behalf of a call that would not be sent.
    this.transport.admit(scope);
    const token = await this.tokens.get(scope, signal);
    try {
      return await this.sendWith(token.secret, prepared, call);
    } catch (error) {
      if (!GitHubError.is(error, 'unauthorized')) throw error;
      // GitHub may revoke a token before its time; a call it refused with 401 had no effect.
      this.tokens.drop(scope, token);
      const fresh = await this.tokens.get(scope, signal);
      return this.sendWith(fresh.secret, prepared, call);
    }
  }

  private async sendWith(
    secret: string,
    prepared: PreparedCall,
    { scope, idempotent = false, signal, onSend }: Call,
  ): Promise<ApiAnswer> {
    const headers = { ...prepared.headers, authorization: `Bearer ${secret}` };
    const isRepeatable = idempotent || prepared.method === 'GET';
    return this.transport.send({ ...prepared, headers, scope, idempotent: isRepeatable, onSend }, signal);
  }

  private async createToken(scope: InstallationScope): Promise<InstallationToken> {
    const body = await this.call(
      APP_SCOPE,
      this.rest.apps.createInstallationAccessToken,
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

  private prepare(options: Required<EndpointDefaults>): PreparedCall {
    const parsed = this.octokit.request.endpoint.parse(options);
    // A page's address is GitHub's own: parsed, `:name` in it would be taken for a parameter.
    const url = options.url.startsWith('/') ? parsed.url : options.url;
    if (!isSafePath(url)) {
      const [address = ''] = options.url.split('?', 1);
      throw new GitHubError('invalid', `${options.method} ${address}: a parameter does not fit into the address`);
    }
    return {
      method: parsed.method,
      url,
      headers: {
        ...stringsOf(parsed.headers),
        accept: 'application/vnd.github+json',
        'user-agent': this.settings.userAgent ?? 'shipgate',
        'x-github-api-version': API_VERSION,
      },
      ...(parsed.body === undefined ? {} : { body: JSON.stringify(parsed.body) }),
    };
  }
}

/** A failure as it was before it passed through Octokit. */
async function succeeding<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof FailedCall ? error.cause : error;
  }
}

const bodyOf = ({ data }: { readonly data: unknown }): JsonReader => data as JsonReader;

const nameOfMethod = (method: RestMethod): string => {
  const { method: verb, url } = method.endpoint.DEFAULTS;
  return `${verb} ${url}`;
};

const allows = ({ permissions }: InstallationToken, name: string): boolean =>
  permissions === null || permissions[name] !== undefined;

const stringsOf = (headers: Readonly<Record<string, string | number | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** False where a parameter of "..", "." or nothing would lead to another route than the one that was meant. */
function isSafePath(url: string): boolean {
  const [address = ''] = url.split('?', 1);
  const { origin, pathname } = new URL(address);
  return address === `${origin}${pathname}` && !pathname.includes('//');
}
