import type { Clock } from '../../config/clock.js';
import type { GitHubClient, CallOptions, Parameters, ReadRoute, Route } from '../transport/github-client.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { observe, type Observed } from '../transport/observed.js';
import type { RepositoryRef } from '../transport/repository-ref.js';
import { repositoryScope } from '../transport/token-scope.js';
import type { Repository } from './repository.js';
import { RepositoryLocator, type Location } from './repository-locator.js';

/** A route below a repository, and what it takes besides the repository. */
type RepositoryRoute = Extract<Route, `${string} /repos/{owner}/{repo}/${string}`>;
type RepositoryReadRoute = Extract<ReadRoute, RepositoryRoute>;
type Rest<R extends RepositoryRoute> = Omit<Parameters<R>, 'owner' | 'repo'>;

/** Calls about one repository, with a token that reaches no other, at the place where that repository is now. */
export class RepositoryCalls {
  private readonly locator: RepositoryLocator;

  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {
    this.locator = new RepositoryLocator(client, clock);
  }

  /** Where the repository is; refused as `not_found` where another has its name. */
  async locate(ref: RepositoryRef, signal?: AbortSignal): Promise<Location> {
    return this.locator.locate(ref, signal);
  }

  /** The repository itself, asked for now; null where it cannot be read. */
  async describe(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<Repository | null>> {
    return observe(this.clock, () => orNull(() => this.locator.confirm(ref, signal)));
  }

  async get<R extends RepositoryReadRoute, T>(
    ref: RepositoryRef,
    route: R,
    rest: Rest<R>,
    read: (body: JsonReader) => T,
    signal?: AbortSignal,
  ): Promise<Observed<T>> {
    return observe(this.clock, async () => {
      const parameters = await this.parameters<R>(ref, rest, signal);
      return read((await this.client.call(repositoryScope(ref), route, parameters, { signal })).body);
    });
  }

  /** Null where the host has no such thing: also asked is whether it still shows the repository, else it says nothing. */
  async find<R extends RepositoryReadRoute, T>(
    ref: RepositoryRef,
    route: R,
    rest: Rest<R>,
    read: (body: JsonReader) => T,
    signal?: AbortSignal,
  ): Promise<Observed<T | null>> {
    return observe(this.clock, async () => {
      const found = await orNull(() => this.get(ref, route, rest, read, signal));
      if (found === null) await this.locator.confirm(ref, signal);
      return found && found.value;
    });
  }

  /** The whole list, of all pages. */
  async list<R extends RepositoryReadRoute, T>(
    ref: RepositoryRef,
    route: R,
    rest: Rest<R>,
    read: (page: JsonReader) => readonly T[],
    signal?: AbortSignal,
  ): Promise<Observed<readonly T[]>> {
    return observe(this.clock, async () =>
      this.client.list(repositoryScope(ref), route, await this.parameters<R>(ref, rest, signal), read, signal),
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

  /** Fails as `not_found` where the host does not show the repository. */
  async confirm(ref: RepositoryRef, signal?: AbortSignal): Promise<void> {
    await this.locator.confirm(ref, signal);
  }

  /** The first pages, of which nobody promises that nothing moved from one to the other while they were read. */
  async pages<R extends RepositoryReadRoute>(
    ref: RepositoryRef,
    route: R,
    rest: Rest<R>,
    limit: number,
    signal?: AbortSignal,
  ): Promise<Observed<readonly [JsonReader, ...JsonReader[]]>> {
    return observe(this.clock, async () =>
      this.client.pages(repositoryScope(ref), route, await this.parameters<R>(ref, rest, signal), limit, signal),
    );
  }

  async write<R extends RepositoryRoute, T>(
    ref: RepositoryRef,
    route: R,
    rest: Rest<R>,
    read: (body: JsonReader) => T,
    options: CallOptions & Required<Pick<CallOptions, 'idempotent' | 'signal'>>,
  ): Promise<T> {
    // An installation's token reaches this repository alone; a person's reaches whatever bears the name by now.
    if (ref.as !== undefined) await this.locator.confirm(ref, options.signal);
    const parameters = await this.parameters<R>(ref, rest, options.signal);
    return read((await this.client.call(repositoryScope(ref), route, parameters, options)).body);
  }

  private async parameters<R extends RepositoryRoute>(
    ref: RepositoryRef,
    rest: Rest<R>,
    signal?: AbortSignal,
  ): Promise<Parameters<R>> {
    const { owner, name } = await this.locator.locate(ref, signal);
    return { ...rest, owner, repo: name };
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
