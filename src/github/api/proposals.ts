import type { Sha } from '../../domain/facts/facts.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { Observed } from '../transport/observed.js';
import type { RepositoryRef } from '../transport/repository-ref.js';
import type { RepositoryCalls } from './repository-calls.js';

/** An open pull request as what it is before anybody merges it: who proposes what to be merged where. */
export interface Proposal {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly milestoneNumber: number | null;
  /** Null where the account no longer exists. */
  readonly authorLogin: string | null;
  readonly headRef: string;
  readonly headSha: Sha;
  /** Its branch is another repository's, also where that one is gone. */
  readonly fromFork: boolean;
  readonly baseRef: string;
}

export class Proposals {
  constructor(private readonly calls: RepositoryCalls) {}

  /** All that are open, drafts and those of forks included. */
  async list(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<readonly Proposal[]>> {
    return this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/pulls',
      { state: 'open', sort: 'created', direction: 'asc', per_page: 100 },
      (page) => page.items().map((item) => proposalOf(item, ref.id)),
      signal,
    );
  }
}

function proposalOf(item: JsonReader, repositoryId: number): Proposal {
  const head = item.object('head');
  return {
    number: item.integer('number'),
    title: item.text('title'),
    body: item.textOrNull('body') ?? '',
    milestoneNumber: item.objectOrNull('milestone')?.integer('number') ?? null,
    authorLogin: item.objectOrNull('user')?.text('login') ?? null,
    headRef: head.text('ref'),
    headSha: head.text('sha'),
    fromFork: head.objectOrNull('repo')?.integer('id') !== repositoryId,
    baseRef: item.object('base').text('ref'),
  };
}
