import { LRUCache } from 'lru-cache';
import type { Sha } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { type RepositoryRef, repositoryScope, scopeKey } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** Reads an answer; null where something else stands at the path than what was looked for. */
type Read<T> = (body: JsonReader) => T | null;

const COMMIT = /^[0-9a-f]{40}$/;
const MAX_MISSING_PATHS = 10_000;

/**
 * What stands at the paths of a repository. GitHub gives its 404 no ETag, so asking again for what is not there would
 * cost a call each time; where a branch points to, and whether that changed, costs none. So it is remembered at which commit
 * a path was last found to be missing, and what a commit lacks it lacks for good.
 */
export class Contents {
  /** By who asks for what: the commit that lacks it; null where only the branch is known to have lacked it. */
  private readonly missing = new LRUCache<string, { readonly commit: Sha | null }>({ max: MAX_MISSING_PATHS });

  constructor(private readonly calls: RepositoryCalls) {}

  /** Null where nothing that `read` takes stands at the path of the branch, tag or commit. */
  async find<T>(
    ref: RepositoryRef,
    path: string,
    gitRef: string,
    { kind, read }: { readonly kind: string; readonly read: Read<T> },
    signal?: AbortSignal,
  ): Promise<Observed<T | null>> {
    const at = (place: string): Promise<Observed<T | null>> =>
      this.calls.find(ref, this.calls.rest.repos.getContent, { path, ref: place }, read, signal);
    if (COMMIT.test(gitRef)) return at(gitRef);
    const key = `${scopeKey(repositoryScope(ref))} ${kind} ${gitRef} ${path}`;
    const head = this.missing.has(key) ? await this.headOf(ref, gitRef, signal) : null;
    if (head === null || head.value === null) return this.noted(key, null, await at(gitRef));
    const { value: sha, observedAt } = head;
    if (this.missing.get(key)?.commit === sha) return { value: null, observedAt };
    // Asked for at the commit, because the branch may move between the two questions.
    return this.noted(key, sha, { value: (await at(sha)).value, observedAt });
  }

  private noted<T>(key: string, commit: Sha | null, found: Observed<T | null>): Observed<T | null> {
    if (found.value === null) this.missing.set(key, { commit });
    else this.missing.delete(key);
    return found;
  }

  /** Null where there is no such branch, as in a repository that is empty yet. */
  private async headOf(ref: RepositoryRef, branch: string, signal?: AbortSignal): Promise<Observed<Sha | null> | null> {
    try {
      return await this.calls.find(
        ref,
        this.calls.rest.git.getRef,
        { ref: `heads/${branch}` },
        (body) => body.object('object').text('sha'),
        signal,
      );
    } catch (error) {
      if (GitHubError.is(error, 'conflict')) return null;
      throw error;
    }
  }
}
