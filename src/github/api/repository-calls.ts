import { SingleFlight } from '../../concurrency/single-flight.js';
import type { Clock } from '../../config/clock.js';
import type { CallOptions, GitHubClient, ParametersOf, RestMethod } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError, stoppedWaiting } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { type RepositoryRef, repositoryScope, scopeKey } from '../transport/token-scope.js';

/** The rights of the caller's role in a repository. The caller's token may have fewer. */
interface RepositoryRights {
  /** Label, assign and plan issues. */
  readonly triage: boolean;
  readonly push: boolean;
  readonly administer: boolean;
}

/** A repository as GitHub describes it now. */
export interface GitHubRepository {
  readonly id: number;
  readonly name: string;
  readonly owner: string;
  readonly ownerId: number;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly archived: boolean;
  readonly url: string;
  /** Null if GitHub does not report them. */
  readonly rights: RepositoryRights | null;
}

export function parseRepository(body: JsonReader): GitHubRepository {
  const owner = body.object('owner');
  const permissions = body.objectOrNull('permissions');
  return {
    id: body.integer('id'),
    name: body.text('name'),
    owner: owner.text('login'),
    ownerId: owner.integer('id'),
    private: body.flag('private'),
    defaultBranch: body.text('default_branch'),
    archived: body.flag('archived'),
    url: body.text('html_url'),
    rights: permissions && parseRights(permissions),
  };
}

function parseRights(permissions: JsonReader): RepositoryRights {
  const push = permissions.flag('push');
  return {
    // A GitHub version that does not report `triage` reports `push`, which includes it.
    triage: permissions.has('triage') ? permissions.flag('triage') : push,
    push,
    administer: permissions.flag('admin'),
  };
}

/** The current owner and name of a repository. */
export interface Location {
  readonly owner: string;
  readonly name: string;
}

interface Confirmed extends Location {
  readonly until: number;
}

const LIFETIME_MS = 60_000;

/**
 * Finds the owner and name of a repository by its id. A token for one repository cannot read another private repository
 * of the same name, but any token can read a public one. So the id behind the name is confirmed at least once a minute.
 */
export class RepositoryResolver {
  private readonly confirmed = new Map<string, Confirmed>();
  private readonly confirmations = new SingleFlight<GitHubRepository>(stoppedWaiting);

  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  async locate(ref: RepositoryRef, signal?: AbortSignal): Promise<Location> {
    const known = this.confirmed.get(cacheKey(ref));
    if (known !== undefined && known.until > this.clock.now().getTime()) return known;
    return this.confirmations.run(cacheKey(ref), () => this.confirm(ref), signal);
  }

  /** Reads the repository. Fails as `not_found` if it cannot be read or another repository has its name. */
  async confirm(ref: RepositoryRef, signal?: AbortSignal): Promise<GitHubRepository> {
    const until = this.clock.now().getTime() + LIFETIME_MS;
    this.confirmed.delete(cacheKey(ref));
    const body = await this.client.call(
      repositoryScope(ref),
      this.client.rest.repos.get,
      { owner: ref.owner, repo: ref.name },
      { signal },
    );
    const repository = parseRepository(body);
    if (repository.id !== ref.id) {
      throw new GitHubError('not_found', `${ref.owner}/${ref.name} is repository ${repository.id}, not ${ref.id}`);
    }
    this.deleteOutdated();
    this.confirmed.set(cacheKey(ref), { owner: repository.owner, name: repository.name, until });
    return repository;
  }

  /** Deletes expired entries, because every token of a user has entries of its own. The map is ordered by expiry. */
  private deleteOutdated(): void {
    const now = this.clock.now().getTime();
    for (const [key, { until }] of this.confirmed) {
      if (until > now) return;
      this.confirmed.delete(key);
    }
  }
}

/** Includes the name, because the same id may be read by a former name that now belongs to another repository. */
const cacheKey = (ref: RepositoryRef): string => `${scopeKey(repositoryScope(ref))} ${ref.owner}/${ref.name}`;

/** The parameters of a method besides the repository; `never` for a method that is not about a repository. */
export type RepositoryParameters<M extends RestMethod> = WithoutRepository<ParametersOf<M>>;
/** Keeps the alternatives of a method that takes one of several sets of parameters. */
type WithoutRepository<P> = P extends { owner: string; repo: string } ? Omit<P, 'owner' | 'repo'> : never;

/** Calls about one repository, with a token for this repository only and under its current name. */
export class RepositoryCalls {
  /** The methods of GitHub's REST API. */
  readonly rest: GitHubClient['rest'];
  private readonly resolver: RepositoryResolver;

  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {
    this.rest = client.rest;
    this.resolver = new RepositoryResolver(client, clock);
  }

  /** Returns the current owner and name. Fails as `not_found` if another repository has the name. */
  async locate(ref: RepositoryRef, signal?: AbortSignal): Promise<Location> {
    return this.resolver.locate(ref, signal);
  }

  /** Reads the repository; null if it cannot be read. */
  async describe(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<GitHubRepository | null>> {
    return observe(this.clock, () => orNull(() => this.resolver.confirm(ref, signal)));
  }

  async get<M extends RestMethod, T>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    read: (body: JsonReader) => T,
    signal?: AbortSignal,
  ): Promise<Observed<T>> {
    return observe(this.clock, async () => {
      const parameters = await this.parameters<M>(ref, rest, signal);
      return read(await this.client.call(repositoryScope(ref), method, parameters, { signal }));
    });
  }

  /** Returns null if GitHub has no such object. Fails as `not_found` if the repository itself cannot be read. */
  async find<M extends RestMethod, T>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    read: (body: JsonReader) => T,
    signal?: AbortSignal,
  ): Promise<Observed<T | null>> {
    return observe(this.clock, async () => {
      const found = await orNull(() => this.get(ref, method, rest, read, signal));
      if (found === null) await this.resolver.confirm(ref, signal);
      return found && found.value;
    });
  }

  /** Returns the items of all pages. */
  async list<M extends RestMethod, T>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    read: (page: JsonReader) => readonly T[],
    signal?: AbortSignal,
  ): Promise<Observed<readonly T[]>> {
    return observe(this.clock, async () =>
      this.client.list(repositoryScope(ref), method, await this.parameters<M>(ref, rest, signal), read, signal),
    );
  }

  /** Returns whether the installation has a permission. Reads it from its token, because a rejected call may have other reasons. */
  async isGranted(
    ref: RepositoryRef,
    permission: string,
    options: { readonly withNewToken?: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<boolean> {
    return this.client.isGranted(repositoryScope(ref), permission, options);
  }

  /** Fails as `not_found` if the repository cannot be read. */
  async confirm(ref: RepositoryRef, signal?: AbortSignal): Promise<void> {
    await this.resolver.confirm(ref, signal);
  }

  /** Returns the first pages. An item may move from one page to another while they are read. */
  async pages<M extends RestMethod>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    limit: number,
    signal?: AbortSignal,
  ): Promise<Observed<readonly [JsonReader, ...JsonReader[]]>> {
    return observe(this.clock, async () =>
      this.client.pages(repositoryScope(ref), method, await this.parameters<M>(ref, rest, signal), limit, signal),
    );
  }

  /** Yields at most `limit` pages. Requests a page only when the caller needs it. */
  async *walk<M extends RestMethod>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    limit: number,
    signal?: AbortSignal,
  ): AsyncGenerator<JsonReader> {
    const parameters = await this.parameters<M>(ref, rest, signal);
    yield* this.client.walk(repositoryScope(ref), method, parameters, limit, signal);
  }

  async write<M extends RestMethod, T>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    read: (body: JsonReader) => T,
    options: CallOptions & Required<Pick<CallOptions, 'idempotent' | 'signal'>>,
  ): Promise<T> {
    // A user's token could write to another repository that has the name now. An installation's token cannot.
    if (ref.as !== undefined) await this.resolver.confirm(ref, options.signal);
    const parameters = await this.parameters<M>(ref, rest, options.signal);
    return read(await this.client.call(repositoryScope(ref), method, parameters, options));
  }

  private async parameters<M extends RestMethod>(
    ref: RepositoryRef,
    rest: RepositoryParameters<M>,
    signal?: AbortSignal,
  ): Promise<ParametersOf<M>> {
    const { owner, name } = await this.resolver.locate(ref, signal);
    return Object.assign({}, rest, { owner, repo: name }) as unknown as ParametersOf<M>;
  }
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (GitHubError.is(error, 'not_found')) return null;
    throw error;
  }
}
