import type { Sha } from '../git/git-object.js';
import type { Comparison } from '../git/git-repository.js';
import type { Issue } from './issues.js';
import type { Repository } from './repository.js';
import type { Review } from './reviews.js';
import type { Team } from './team.js';
import type { User } from './user.js';

/** The state of a pull request when it was closed or merged. For an open one, the refs determine the state. */
interface FinalState {
  readonly headSha: Sha;
  readonly baseSha: Sha;
  readonly comparison: Comparison | null;
}

/**
 * A pull request between two branches of one repository, or from a fork. The refs determine its head, commits and
 * files.
 */
export class Pull {
  readonly reviews: Review[] = [];
  readonly requestedTeams: Team[] = [];
  readonly requestedReviewers: User[] = [];
  baseRef: string;
  draft = false;
  mergedAt: Date | null = null;
  mergedBy: User | null = null;
  mergeCommitSha: Sha | null = null;
  private finalState: FinalState | null = null;

  constructor(
    readonly issue: Issue,
    readonly headRef: string,
    baseRef: string,
    private lastHead: Sha,
    /** The repository of the head branch, if it is another one. */
    readonly fork: Repository | null = null,
  ) {
    this.baseRef = baseRef;
  }

  get repository(): Repository {
    return this.issue.repository;
  }

  get number(): number {
    return this.issue.number;
  }

  get headSha(): Sha {
    const from = this.fork ?? this.repository;
    return this.finalState?.headSha ?? from.git.branchHead(this.headRef) ?? this.lastHead;
  }

  get baseSha(): Sha {
    return this.finalState?.baseSha ?? this.repository.git.branchHead(this.baseRef) ?? this.headSha;
  }

  /** The commits that base lacks, and the differences of the files from the merge base. */
  comparison(): Comparison | null {
    return this.finalState ? this.finalState.comparison : this.repository.git.compare(this.baseSha, this.headSha);
  }

  isMergeable(): boolean {
    return this.repository.git.merge(this.baseSha, this.headSha).clean;
  }

  recordHead(sha: Sha): void {
    this.lastHead = sha;
  }

  /** Saves the present state of the refs, so that later moves do not change it. */
  freeze(headSha: Sha = this.headSha, baseSha: Sha = this.baseSha): void {
    const comparison = this.repository.git.compare(baseSha, headSha);
    this.finalState = { headSha, baseSha, comparison };
  }

  thaw(): void {
    this.finalState = null;
  }
}
