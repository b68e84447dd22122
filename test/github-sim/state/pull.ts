import type { Sha } from '../git/git-object.js';
import type { Comparison } from '../git/git-repository.js';
import type { Issue } from './issues.js';
import type { Repository } from './repository.js';
import type { Review } from './reviews.js';
import type { Team } from './team.js';
import type { User } from './user.js';

/** Where a pull request stood when it was closed or merged; while it is open, the refs say it. */
interface FinalState {
  readonly headSha: Sha;
  readonly baseSha: Sha;
  readonly comparison: Comparison | null;
}

/** A pull request between two branches of one repository, or from a fork's; its head, commits and files follow from the refs. */
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
    /** Whose branch it is, where it is another repository's. */
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

  /** What the pull request brings: the commits that base lacks, and the files that differ from the merge base. */
  comparison(): Comparison | null {
    return this.finalState ? this.finalState.comparison : this.repository.git.compare(this.baseSha, this.headSha);
  }

  isMergeable(): boolean {
    return this.repository.git.merge(this.baseSha, this.headSha).clean;
  }

  recordHead(sha: Sha): void {
    this.lastHead = sha;
  }

  /** Keeps what the refs say now, so that their later moves no longer change it. */
  freeze(headSha: Sha = this.headSha, baseSha: Sha = this.baseSha): void {
    const comparison = this.repository.git.compare(baseSha, headSha);
    this.finalState = { headSha, baseSha, comparison };
  }

  thaw(): void {
    this.finalState = null;
  }
}
