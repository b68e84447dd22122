import type { Sha } from '../git/git-object.js';
import type { Pull } from './pull.js';
import { ApiRejection } from './api-rejection.js';
import type { User } from './user.js';

export type MergeMethod = 'merge' | 'squash' | 'rebase';

interface MergeWishes {
  readonly method?: MergeMethod;
  readonly expectedHead?: Sha;
  readonly title?: string;
  readonly message?: string;
}

/** Creates the commits of a merge by button. It moves no ref. */
export class PullMerge {
  private readonly headSha: Sha;
  private readonly baseSha: Sha;

  constructor(
    private readonly pull: Pull,
    private readonly by: User,
  ) {
    this.headSha = pull.headSha;
    this.baseSha = pull.baseSha;
  }

  /** Returns the new head of the base branch. */
  perform({ method = 'merge', expectedHead, title, message }: MergeWishes): Sha {
    const { issue, draft } = this.pull;
    if (issue.state === 'closed' || draft) throw new ApiRejection('not_allowed', 'Pull Request is not mergeable');
    if (expectedHead !== undefined && expectedHead !== this.headSha) {
      throw new ApiRejection('conflict', 'Head branch was modified. Review and try the merge again.');
    }
    const unmet = this.pull.repository.rulesets.unmetForMerge(this.pull);
    if (unmet) throw new ApiRejection('not_allowed', `Repository rule violations found\n\n${unmet}\n\n`);
    if (method === 'rebase') return this.rebase();
    return method === 'squash' ? this.squash(title, message) : this.mergeCommit(title, message);
  }

  private mergeCommit(title: string | undefined, message: string | undefined): Sha {
    const { issue, headRef, repository } = this.pull;
    const subject = title ?? `Merge pull request #${issue.number} from ${repository.owner.login}/${headRef}`;
    return this.commit([this.baseSha, this.headSha], `${subject}\n\n${message ?? issue.title}`, this.by);
  }

  private squash(title: string | undefined, message: string | undefined): Sha {
    const { issue } = this.pull;
    const subject = title ?? `${issue.title} (#${issue.number})`;
    return this.commit([this.baseSha], message ? `${subject}\n\n${message}` : subject, issue.author);
  }

  private rebase(): Sha {
    const { git, state } = this.pull.repository;
    let onto = this.baseSha;
    for (const sha of this.pull.comparison()?.commits ?? []) {
      if (git.store.commit(sha).parents.length > 1) continue;
      onto = git.cherryPick(sha, onto, state.webFlow.signature()) ?? refuseConflict();
    }
    return onto;
  }

  private commit(parents: readonly Sha[], message: string, author: User): Sha {
    const { git, state } = this.pull.repository;
    const merged = git.merge(this.baseSha, this.headSha);
    if (!merged.clean) return refuseConflict();
    const tree = git.store.putFiles(merged.files);
    return git.store.putCommit({
      tree,
      parents,
      message,
      author: author.signature(),
      committer: state.webFlow.signature(),
    });
  }
}

function refuseConflict(): never {
  throw new ApiRejection('not_allowed', 'Pull Request has merge conflicts');
}
