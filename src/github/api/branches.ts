import type { RefFact, Sha } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

const HEADS = 'refs/heads/';

export class Branches {
  constructor(private readonly calls: RepositoryCalls) {}

  /** The branches whose names begin with the prefix, with the commits that they point to. */
  async listByPrefix(ref: RepositoryRef, prefix: string, signal?: AbortSignal): Promise<Observed<readonly RefFact[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.git.listMatchingRefs,
      { ref: `heads/${prefix}` },
      (page) => page.items().map(branchOf),
      signal,
    );
  }

  /** Refused as `conflict` where the branch exists already. */
  async create(ref: RepositoryRef, branch: string, sha: Sha, signal?: AbortSignal): Promise<void> {
    await this.calls.write(ref, this.calls.rest.git.createRef, { ref: `${HEADS}${branch}`, sha }, branchOf, {
      idempotent: false,
      signal,
    });
  }

  /** Points the branch at the commit, whatever it pointed to before. */
  async forceUpdate(ref: RepositoryRef, branch: string, sha: Sha, signal?: AbortSignal): Promise<void> {
    await this.calls.write(ref, this.calls.rest.git.updateRef, { ref: `heads/${branch}`, sha, force: true }, branchOf, {
      idempotent: true,
      signal,
    });
  }
}

function branchOf(item: JsonReader): RefFact {
  return { branch: item.text('ref').slice(HEADS.length), sha: item.object('object').text('sha') };
}
