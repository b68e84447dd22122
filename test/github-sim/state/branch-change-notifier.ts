import type { Sha } from '../git/git-object.js';
import type { FileMap } from '../git/object-store.js';
import { diffTrees } from '../git/tree-diff.js';
import { isoDate } from '../views/wire.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

const NOTHING = '0'.repeat(40);
/** The maximum number of commits in one push event of GitHub. */
const COMMITS_IN_A_PUSH = 2048;

/** Sends events about branches that were created, moved and deleted. */
export class BranchChangeNotifier {
  constructor(private readonly repository: Repository) {}

  announceMove(branch: string, before: Sha | null, after: Sha, by: User): void {
    if (before === null) {
      const created = { ref: branch, ref_type: 'branch', master_branch: this.repository.defaultBranch };
      this.repository.emit('create', { ...created, description: null, pusher_type: 'user' }, by);
    }
    const { ancestry } = this.repository.git;
    const forced = before !== null && !ancestry.isAncestor(before, after);
    const fresh = before === null ? [] : ancestry.commitsBetween(before, after);
    this.push(
      branch,
      { before: before ?? NOTHING, after, created: before === null, deleted: false, forced },
      fresh,
      by,
    );
  }

  announceDeletion(branch: string, before: Sha, by: User): void {
    this.repository.emit('delete', { ref: branch, ref_type: 'branch', pusher_type: 'user' }, by);
    this.push(branch, { before, after: NOTHING, created: false, deleted: true, forced: false }, [], by);
  }

  private push(
    branch: string,
    move: { before: Sha; after: Sha; created: boolean; deleted: boolean; forced: boolean },
    newestFirst: readonly Sha[],
    by: User,
  ): void {
    const commits = newestFirst.toReversed().slice(-COMMITS_IN_A_PUSH);
    const payload = {
      ref: `refs/heads/${branch}`,
      ...move,
      base_ref: null,
      compare: `${this.repository.htmlUrl}/compare/${move.before.slice(0, 12)}...${move.after.slice(0, 12)}`,
      commits: commits.map((sha) => this.commitView(sha)),
      head_commit: move.deleted ? null : this.commitView(move.after),
      pusher: { name: by.login, email: by.email },
    };
    this.repository.emit('push', payload, by);
  }

  private commitView(sha: Sha): object {
    const { git, htmlUrl } = this.repository;
    const { tree, parents, author, committer, message } = git.store.commit(sha);
    const before: FileMap = parents[0] === undefined ? new Map() : git.filesAt(parents[0]);
    const changes = diffTrees(before, git.filesAt(sha));
    const paths = (status: string) => changes.filter((change) => change.status === status).map(({ path }) => path);
    return {
      id: sha,
      tree_id: tree,
      distinct: true,
      message,
      timestamp: isoDate(committer.date),
      url: `${htmlUrl}/commit/${sha}`,
      author: { name: author.name, email: author.email },
      committer: { name: committer.name, email: committer.email },
      added: paths('added'),
      removed: paths('removed'),
      modified: paths('modified'),
    };
  }
}
