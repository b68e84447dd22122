import { Ancestry } from './ancestry.js';
import type { Sha, Signature } from './git-object.js';
import { ObjectStore, type FileMap, type TreeFile } from './object-store.js';
import { diffTrees, type FileChange } from './tree-diff.js';
import { mergeTrees, type TreeMerge } from './tree-merge.js';

/** New contents of files by path; null removes a file. */
export type FileEdits = Readonly<Record<string, string | Buffer | null>>;

export interface Comparison {
  readonly status: 'identical' | 'ahead' | 'behind' | 'diverged';
  readonly mergeBase: Sha;
  readonly behindBy: number;
  /** Commits of head that base lacks, oldest first, as GitHub lists them. */
  readonly commits: readonly Sha[];
  /** The differences between the merge base and head. */
  readonly files: readonly FileChange[];
}

/** A bare git repository: an object store, and refs by their full names. */
export class GitRepository {
  readonly store = new ObjectStore();
  readonly ancestry = new Ancestry(this.store);
  readonly refs = new Map<string, Sha>();

  branchHead(branch: string): Sha | null {
    return this.refs.get(`refs/heads/${branch}`) ?? null;
  }

  /** Returns the commit of a full SHA, an unambiguous prefix of one, a branch, a tag or a full ref. */
  resolve(name: string): Sha | null {
    for (const ref of [name, `refs/${name}`, `refs/heads/${name}`, `refs/tags/${name}`]) {
      const sha = this.refs.get(ref);
      if (sha !== undefined) return sha;
    }
    if (!/^[0-9a-f]{7,40}$/.test(name)) return null;
    const found = this.store.commitsStartingWith(name);
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  filesAt(commit: Sha): FileMap {
    return this.store.files(this.store.commit(commit).tree);
  }

  /** Whether the file at the path differs from the file of every parent. */
  touches(commit: Sha, path: string): boolean {
    const own = this.filesAt(commit).get(path)?.sha;
    const { parents } = this.store.commit(commit);
    if (parents.length === 0) return own !== undefined;
    return parents.every((parent) => this.filesAt(parent).get(path)?.sha !== own);
  }

  /** Creates a commit with the edits on top of its first parent's files. No ref moves. */
  commitEdits(
    parents: readonly Sha[],
    edits: FileEdits,
    message: string,
    author: Signature,
    committer: Signature = author,
  ): Sha {
    const files = new Map<string, TreeFile>(parents[0] === undefined ? [] : this.filesAt(parents[0]));
    for (const [path, content] of Object.entries(edits)) {
      if (content === null) files.delete(path);
      else {
        const sha = this.store.putBlob(typeof content === 'string' ? Buffer.from(content) : content);
        files.set(path, { mode: files.get(path)?.mode ?? '100644', sha });
      }
    }
    return this.store.putCommit({ tree: this.store.putFiles(files), parents, author, committer, message });
  }

  mergeBase(one: Sha, other: Sha): Sha | null {
    return this.ancestry.mergeBases(one, other)[0] ?? null;
  }

  /** Merges the files of two commits over their merge base. */
  merge(ours: Sha, theirs: Sha): TreeMerge {
    const base = this.mergeBase(ours, theirs);
    const baseFiles: FileMap = base === null ? new Map() : this.filesAt(base);
    return mergeTrees(this.store, baseFiles, this.filesAt(ours), this.filesAt(theirs));
  }

  /** Applies the change of one commit on top of another. Returns null on a conflict. */
  cherryPick(commit: Sha, onto: Sha, committer: Signature): Sha | null {
    const { parents, author, message } = this.store.commit(commit);
    const before: FileMap = parents[0] === undefined ? new Map() : this.filesAt(parents[0]);
    const merged = mergeTrees(this.store, before, this.filesAt(onto), this.filesAt(commit));
    if (!merged.clean) return null;
    return this.store.putCommit({
      tree: this.store.putFiles(merged.files),
      parents: [onto],
      author,
      committer,
      message,
    });
  }

  /** How head relates to base; null without a common ancestor. */
  compare(base: Sha, head: Sha): Comparison | null {
    const mergeBase = this.mergeBase(base, head);
    if (mergeBase === null) return null;
    const commits = this.ancestry.commitsBetween(base, head).toReversed();
    const behindBy = this.ancestry.commitsBetween(head, base).length;
    const files = diffTrees(this.filesAt(mergeBase), this.filesAt(head));
    return { status: comparisonStatus(commits.length, behindBy), mergeBase, behindBy, commits, files };
  }
}

function comparisonStatus(aheadBy: number, behindBy: number): Comparison['status'] {
  if (aheadBy > 0) return behindBy > 0 ? 'diverged' : 'ahead';
  return behindBy > 0 ? 'behind' : 'identical';
}
