import type { Policy } from '../../domain/policy/policy.js';

/** Policies may be large, and a workspace may have many repositories. */
const MOST_KEPT = 1_000;
/** For how long a policy is taken for what it was, in milliseconds. */
const KEPT_MS = 10_000;

/** By the repository; null is that there is none which is valid. */
type Policies = ReadonlyMap<string, Policy | null>;

/** The policies of repositories that one reading of many releases comes upon again and again. */
export class RecentPolicies {
  #known = new Map<string, Policy | null>();
  #since: Date | null = null;

  /** Those of the repositories; `read` is asked for the ones that were not read just now. */
  async of(
    repositoryIds: Iterable<string>,
    now: Date,
    read: (repositoryIds: readonly string[]) => Promise<Policies>,
  ): Promise<Policies> {
    const isOld = this.#since === null || now.getTime() - this.#since.getTime() > KEPT_MS;
    if (isOld || this.#known.size > MOST_KEPT) {
      // Not emptied: whoever asked before may still look into it.
      this.#known = new Map();
      this.#since = now;
    }
    const known = this.#known;
    const unknown = [...new Set(repositoryIds)].filter((id) => !known.has(id));
    if (unknown.length === 0) return known;
    for (const [id, policy] of await read(unknown)) known.set(id, policy);
    return known;
  }
}
