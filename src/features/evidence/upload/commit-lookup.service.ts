import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CiCaller } from '../../../auth/caller.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { LookupBudgetService, lookupKey } from '../../releases/discovery/lookup-budget.service.js';

/** Finds out whether GitHub has the commit of an upload. */
@Injectable()
export class CommitLookupService {
  /** Commits that GitHub has. One that it does not have yet may be pushed later. */
  private readonly found = new LRUCache<string, true>({ max: 10_000 });

  constructor(
    private readonly github: GitHubGateway,
    private readonly budget: LookupBudgetService,
  ) {}

  /** Returns null if GitHub does not answer before the signal, or the caller has used up its look-ups. */
  async exists(
    caller: CiCaller,
    { id, ref }: Pick<Repository, 'id' | 'ref'>,
    sha: Sha,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    const key = `${caller.orgId}/${id}/${sha}`;
    if (this.found.has(key)) return true;
    if (ref === null || !this.budget.consume(lookupKey(caller))) return null;
    try {
      const exists = await this.github.commits.exists(ref, sha, signal);
      if (exists) this.found.set(key, true);
      return exists;
    } catch (error) {
      if (error instanceof GitHubError) return null;
      throw error;
    }
  }
}
