import { LRUCache } from 'lru-cache';
import type { Sha } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { type RepositoryRef, repositoryScope, scopeKey } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** Parses a response. Returns null if the path is of another kind. */
type Read<T> = (body: JsonReader) => T | null;

const COMMIT = /^[0-9a-f]{40}$/;
const MAX_MISSING_PATHS = 10_000;

/**
 * Reads files and folders. GitHub sends no ETag with a 404, so every read of a missing path would cost a call, while a
 * conditional read of an unchanged branch head costs none. So the cache stores the commit at which a path was missing.
 * A commit never changes, so the path stays missing there.
 */
export class Contents {
  /** By caller, kind, branch and path: the commit without the path; null if the commit of the branch was not read. */
  private readonly missing = new LRUCache<string, { readonly commit: Sha | null }>({ max: MAX_MISSING_PATHS });

  constructor(private readonly calls: RepositoryCalls) {}

  /** Returns the result of `read` for the path at a branch, tag or commit; null if the path is missing or of another kind. */
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
    const head = this.missing.has(key) ? await this.readHead(ref, gitRef, signal) : null;
    if (head === null || head.value === null) return this.recordResult(key, null, await at(gitRef));
    const { value: sha, observedAt } = head;
    if (this.missing.get(key)?.commit === sha) return { value: null, observedAt };
    // Read at the commit, because the branch may move between the two calls.
    return this.recordResult(key, sha, { value: (await at(sha)).value, observedAt });
  }

  private recordResult<T>(key: string, commit: Sha | null, found: Observed<T | null>): Observed<T | null> {
    if (found.value === null) this.missing.set(key, { commit });
    else this.missing.delete(key);
    return found;
  }

  /** Returns the head of the branch; null in an empty repository. The value is null if there is no such branch. */
  private async readHead(
    ref: RepositoryRef,
    branch: string,
    signal?: AbortSignal,
  ): Promise<Observed<Sha | null> | null> {
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
