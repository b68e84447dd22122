import type { RefFact, Sha } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

const HEADS = 'refs/heads/';

export class Branches {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Lists the branches whose names begin with the prefix, with their head commits. */
  async listByPrefix(ref: RepositoryRef, prefix: string, signal?: AbortSignal): Promise<Observed<readonly RefFact[]>> {
    return this.calls.list(
      ref,
      this.calls.rest.git.listMatchingRefs,
      { ref: `heads/${prefix}` },
      (page) => page.items().map(parseBranch),
      signal,
    );
  }

  /** Returns the head commit of the branch. Null if the branch does not exist. */
  async findHead(ref: RepositoryRef, branch: string): Promise<Sha | null> {
    const { value: found } = await this.listByPrefix(ref, branch);
    return found.find((head) => head.branch === branch)?.sha ?? null;
  }

  /** Creates a branch. Fails as `conflict` if it exists. */
  async create(ref: RepositoryRef, branch: string, sha: Sha, signal?: AbortSignal): Promise<void> {
    await this.calls.write(ref, this.calls.rest.git.createRef, { ref: `${HEADS}${branch}`, sha }, parseBranch, {
      idempotent: false,
      signal,
    });
  }

  /** Sets the head of the branch to the commit, also if that is no fast-forward. */
  async forceUpdate(ref: RepositoryRef, branch: string, sha: Sha, signal?: AbortSignal): Promise<void> {
    await this.calls.write(
      ref,
      this.calls.rest.git.updateRef,
      { ref: `heads/${branch}`, sha, force: true },
      parseBranch,
      {
        idempotent: true,
        signal,
      },
    );
  }
}

function parseBranch(item: JsonReader): RefFact {
  return { branch: item.text('ref').slice(HEADS.length), sha: item.object('object').text('sha') };
}
