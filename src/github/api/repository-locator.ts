import { SharedWork } from '../../concurrency/single-flight.js';
import type { Clock } from '../../config/clock.js';
import type { GitHubClient } from '../transport/github-client.js';
import { GitHubError, stoppedWaiting } from '../transport/github-error.js';
import type { RepositoryRef } from '../transport/repository-ref.js';
import { repositoryScope, scopeKey } from '../transport/token-scope.js';
import { repositoryOf, type Repository } from './repository.js';

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
export class RepositoryLocator {
  private readonly confirmed = new Map<string, Confirmed>();
  private readonly confirmations = new SharedWork<Repository>(stoppedWaiting);

  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  async locate(ref: RepositoryRef, signal?: AbortSignal): Promise<Location> {
    const known = this.confirmed.get(keyOf(ref));
    if (known !== undefined && known.until > this.clock.now().getTime()) return known;
    return this.confirmations.of(keyOf(ref), () => this.confirm(ref), signal);
  }

  /** The repository as it is now; refused as `not_found` where it cannot be read or another has its name. */
  async confirm(ref: RepositoryRef, signal?: AbortSignal): Promise<Repository> {
    const until = this.clock.now().getTime() + LIFETIME_MS;
    this.confirmed.delete(keyOf(ref));
    const { body } = await this.client.call(
      repositoryScope(ref),
      'GET /repos/{owner}/{repo}',
      { owner: ref.owner, repo: ref.name },
      { signal },
    );
    const repository = repositoryOf(body);
    if (repository.id !== ref.id) {
      throw new GitHubError('not_found', `${ref.owner}/${ref.name} is repository ${repository.id}, not ${ref.id}`);
    }
    this.forgetOutdated();
    this.confirmed.set(keyOf(ref), { owner: repository.owner, name: repository.name, until });
    return repository;
  }

  /** People's tokens pass, and each has entries of its own. The oldest come first: who is confirmed anew goes to the end. */
  private forgetOutdated(): void {
    const now = this.clock.now().getTime();
    for (const [key, { until }] of this.confirmed) {
      if (until > now) return;
      this.confirmed.delete(key);
    }
  }
}

/** The name is part of it: the same id may be asked for by an old name that leads elsewhere. */
const keyOf = (ref: RepositoryRef): string => `${scopeKey(repositoryScope(ref))} ${ref.owner}/${ref.name}`;
