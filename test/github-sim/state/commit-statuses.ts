import type { Sha } from '../git/git-object.js';
import { commitView } from '../views/commit-view.js';
import { isoDate } from '../views/wire.js';
import { ApiRejection } from './api-rejection.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

export type StatusState = 'error' | 'failure' | 'pending' | 'success';

export interface CommitStatus {
  readonly id: number;
  readonly sha: Sha;
  readonly state: StatusState;
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creator: User;
  readonly createdAt: Date;
}

interface CommitStatusSpec {
  readonly sha: Sha;
  readonly state: StatusState;
  readonly context?: string;
  readonly description?: string | null;
  readonly targetUrl?: string | null;
  readonly by?: User;
}

/** The commit statuses of a repository. All remain, and the newest of each context counts. */
export class CommitStatuses {
  private readonly statuses: CommitStatus[] = [];

  constructor(private readonly repository: Repository) {}

  set({
    sha,
    state,
    context = 'default',
    description = null,
    targetUrl = null,
    ...spec
  }: CommitStatusSpec): CommitStatus {
    const { state: github, git, owner } = this.repository;
    if (!git.store.hasCommit(sha)) throw new ApiRejection('invalid', `No commit found for SHA: ${sha}`);
    const creator = spec.by ?? owner.founder;
    const status = {
      id: github.nextId(),
      sha,
      state,
      context,
      description,
      targetUrl,
      creator,
      createdAt: github.now(),
    };
    this.statuses.push(status);
    this.announce(status);
    return status;
  }

  /** The newest status of each context, newest first. */
  latest(sha: Sha): readonly CommitStatus[] {
    const newestFirst = this.statuses.filter((status) => status.sha === sha).toReversed();
    return newestFirst.filter(
      ({ context }, index) => !newestFirst.slice(0, index).some((newer) => newer.context === context),
    );
  }

  private announce(status: CommitStatus): void {
    const { repository } = this;
    const received = commitInStatusEvent(repository, status.sha);
    const branches = [...repository.git.refs].filter(([, sha]) => sha === status.sha);
    const payload = {
      id: status.id,
      sha: status.sha,
      name: repository.fullName,
      avatar_url: null,
      target_url: status.targetUrl,
      context: status.context,
      description: status.description,
      state: status.state,
      commit: received,
      branches: branches.map(([ref, sha]) => ({
        name: ref.replace('refs/heads/', ''),
        commit: { sha, url: `${repository.apiUrl}/commits/${sha}` },
        protected: false,
      })),
      created_at: isoDate(status.createdAt),
      updated_at: isoDate(status.createdAt),
    };
    repository.emit('status', payload, status.creator);
  }
}

/** A commit in `status` events: without the time of verification, which only the REST API returns. */
function commitInStatusEvent(repository: Repository, sha: Sha): object {
  const { commit, ...around } = commitView(repository, sha);
  const { verified, reason, signature, payload } = commit.verification;
  return { ...around, commit: { ...commit, verification: { verified, reason, signature, payload } } };
}
