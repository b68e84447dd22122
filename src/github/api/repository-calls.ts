import { SingleFlight } from '../../concurrency/single-flight.js';
import type { Clock } from '../../config/clock.js';
import type { CallOptions, GitHubClient, ParametersOf, RestMethod } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError, stoppedWaiting } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { type RepositoryRef, repositoryScope, scopeKey } from '../transport/token-scope.js';

/** What whoever asked may do in a repository, by their role there: their token may still reach less. */
interface RepositoryRights {
  /** May label, assign and plan issues. */
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
  /** Null where GitHub does not tell. */
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
    rights: permissions && rightsOf(permissions),
  };
}

function rightsOf(permissions: JsonReader): RepositoryRights {
  const push = permissions.flag('push');
  return {
    // A host that does not tell it apart tells of what includes it.
    triage: permissions.has('triage') ? permissions.flag('triage') : push,
    push,
    administer: permissions.flag('admin'),
  };
}

/** The owner and the name that the repository has now. */
export interface Location {
  readonly owner: string;
  readonly name: string;
}

interface Confirmed extends Location {
  readonly until: number;
}

const LIFETIME_MS = 60_000;

/**
 * Tells where a repository is, by its id. The pinned token keeps a private namesake out of reach, but any token reads
 * what is public: so the id behind the name is confirmed as well, a minute ago at most.
 */
export class RepositoryResolver {
  private readonly confirmed = new Map<string, Confirmed>();
  private readonly confirmations = new SingleFlight<GitHubRepository>(stoppedWaiting);

  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  async locate(ref: RepositoryRef, signal?: AbortSignal): Promise<Location> {
    const known = this.confirmed.get(keyOf(ref));
    if (known !== undefined && known.until > this.clock.now().getTime()) return known;
    return this.confirmations.run(keyOf(ref), () => this.confirm(ref), signal);
  }

  /** The repository as it is now; refused as `not_found` where it cannot be read or another has its name. */
  async confirm(ref: RepositoryRef, signal?: AbortSignal): Promise<GitHubRepository> {
    const until = this.clock.now().getTime() + LIFETIME_MS;
    this.confirmed.delete(keyOf(ref));
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
    this.confirmed.set(keyOf(ref), { owner: repository.owner, name: repository.name, until });
    return repository;
  }

  /** People's tokens pass, and each has entries of its own. The oldest come first: who is confirmed anew goes to the end. */
  private deleteOutdated(): void {
    const now = this.clock.now().getTime();
    for (const [key, { until }] of this.confirmed) {
      if (until > now) return;
      this.confirmed.delete(key);
    }
  }
}

/** The name is part of it: the same id may be asked for by an old name that leads elsewhere. */
const keyOf = (ref: RepositoryRef): string => `${scopeKey(repositoryScope(ref))} ${ref.owner}/${ref.name}`;

/** What a method that concerns a repository takes besides the repository; no other method can be called here. */
export type RepositoryParameters<M extends RestMethod> =
  ParametersOf<M> extends { owner: string; repo: string } ? Omit<ParametersOf<M>, 'owner' | 'repo'> : never;

/** Calls about one repository, with a token that reaches no other, at the place where that repository is now. */
export class RepositoryCalls {
  /** The methods of GitHub's REST interface. */
  readonly rest: GitHubClient['rest'];
  private readonly locator: RepositoryResolver;

  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {
    this.rest = client.rest;
    this.locator = new RepositoryResolver(client, clock);
  }

  /** Where the repository is; refused as `not_found` where another has its name. */
  async locate(ref: RepositoryRef, signal?: AbortSignal): Promise<Location> {
    return this.locator.locate(ref, signal);
  }

  /** The repository itself, asked for now; null where it cannot be read. */
  async describe(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<GitHubRepository | null>> {
    return observe(this.clock, () => orNull(() => this.locator.confirm(ref, signal)));
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

  /** Null where GitHub has no such thing: also asked is whether it still shows the repository, else it says nothing. */
  async find<M extends RestMethod, T>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    read: (body: JsonReader) => T,
    signal?: AbortSignal,
  ): Promise<Observed<T | null>> {
    return observe(this.clock, async () => {
      const found = await orNull(() => this.get(ref, method, rest, read, signal));
      if (found === null) await this.locator.confirm(ref, signal);
      return found && found.value;
    });
  }

  /** The whole list, of all pages. */
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

  /** Whether GitHub lets the installation use a permission here. Its tokens say so; a call that is refused does not. */
  async isGranted(
    ref: RepositoryRef,
    permission: string,
    options: { readonly anew?: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<boolean> {
    return this.client.isGranted(repositoryScope(ref), permission, options);
  }

  /** Fails as `not_found` where GitHub does not show the repository. */
  async confirm(ref: RepositoryRef, signal?: AbortSignal): Promise<void> {
    await this.locator.confirm(ref, signal);
  }

  /** The first pages, of which nobody promises that nothing moved from one to the other while they were read. */
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

  async write<M extends RestMethod, T>(
    ref: RepositoryRef,
    method: M,
    rest: RepositoryParameters<M>,
    read: (body: JsonReader) => T,
    options: CallOptions & Required<Pick<CallOptions, 'idempotent' | 'signal'>>,
  ): Promise<T> {
    // An installation's token reaches this repository alone; a person's reaches whatever bears the name by now.
    if (ref.as !== undefined) await this.locator.confirm(ref, options.signal);
    const parameters = await this.parameters<M>(ref, rest, options.signal);
    return read(await this.client.call(repositoryScope(ref), method, parameters, options));
  }

  private async parameters<M extends RestMethod>(
    ref: RepositoryRef,
    rest: RepositoryParameters<M>,
    signal?: AbortSignal,
  ): Promise<ParametersOf<M>> {
    const { owner, name } = await this.locator.locate(ref, signal);
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
