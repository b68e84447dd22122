import {
  objectSha,
  serializeCommit,
  serializeTree,
  type CommitObject,
  type Sha,
  type TreeEntry,
  type TreeEntryMode,
} from './git-object.js';

/** A file of a tree, at any depth. */
export interface TreeFile {
  readonly mode: Exclude<TreeEntryMode, '40000'>;
  readonly sha: Sha;
}

/** The files of a tree by path. */
export type FileMap = ReadonlyMap<string, TreeFile>;

/** Thrown if an object refers to another one that the store does not have. */
class MissingObject extends Error {
  constructor(
    readonly type: string,
    readonly sha: Sha,
  ) {
    super(`No ${type} ${sha} in the object store`);
  }
}

/** Content-addressed blobs, trees and commits. An object is never changed and never removed. */
export class ObjectStore {
  private readonly blobs = new Map<Sha, Buffer>();
  private readonly trees = new Map<Sha, readonly TreeEntry[]>();
  private readonly commits = new Map<Sha, CommitObject>();

  putBlob(content: Buffer): Sha {
    const sha = objectSha('blob', content);
    this.blobs.set(sha, Buffer.from(content));
    return sha;
  }

  putTree(entries: readonly TreeEntry[]): Sha {
    for (const entry of entries) this.requireEntry(entry);
    const sha = objectSha('tree', serializeTree(entries));
    this.trees.set(sha, [...entries]);
    return sha;
  }

  putCommit(commit: CommitObject): Sha {
    this.tree(commit.tree);
    for (const parent of commit.parents) this.commit(parent);
    const sha = objectSha('commit', serializeCommit(commit));
    this.commits.set(sha, commit);
    return sha;
  }

  /** Copies every object of another store, as GitHub does for a fork and its pull requests. */
  takeAll(other: ObjectStore): void {
    for (const [sha, blob] of other.blobs) this.blobs.set(sha, blob);
    for (const [sha, tree] of other.trees) this.trees.set(sha, tree);
    for (const [sha, commit] of other.commits) this.commits.set(sha, commit);
  }

  blob(sha: Sha): Buffer {
    return this.blobs.get(sha) ?? missing('blob', sha);
  }

  tree(sha: Sha): readonly TreeEntry[] {
    return this.trees.get(sha) ?? missing('tree', sha);
  }

  commit(sha: Sha): CommitObject {
    return this.commits.get(sha) ?? missing('commit', sha);
  }

  hasCommit(sha: Sha): boolean {
    return this.commits.has(sha);
  }

  hasTree(sha: Sha): boolean {
    return this.trees.has(sha);
  }

  hasBlob(sha: Sha): boolean {
    return this.blobs.has(sha);
  }

  /** The commits whose SHA starts with the prefix. */
  commitsStartingWith(prefix: string): readonly Sha[] {
    return [...this.commits.keys()].filter((sha) => sha.startsWith(prefix));
  }

  /** The files of a tree and of all its folders. */
  files(treeSha: Sha): FileMap {
    const files = new Map<string, TreeFile>();
    const walk = (sha: Sha, prefix: string) => {
      for (const { mode, name, sha: child } of this.tree(sha)) {
        if (mode === '40000') walk(child, `${prefix}${name}/`);
        else files.set(`${prefix}${name}`, { mode, sha: child });
      }
    };
    walk(treeSha, '');
    return files;
  }

  /** Writes the trees that contain exactly these files. Returns the SHA of the root tree. */
  putFiles(files: FileMap): Sha {
    const entries: TreeEntry[] = [];
    const folders = new Map<string, Map<string, TreeFile>>();
    for (const [path, file] of files) {
      const slash = path.indexOf('/');
      if (slash < 0) {
        entries.push({ mode: file.mode, name: path, sha: file.sha });
        continue;
      }
      const folder = path.slice(0, slash);
      const inside = folders.get(folder) ?? new Map<string, TreeFile>();
      folders.set(folder, inside.set(path.slice(slash + 1), file));
    }
    for (const [name, inside] of folders) entries.push({ mode: '40000', name, sha: this.putFiles(inside) });
    return this.putTree(entries);
  }

  private requireEntry({ mode, sha }: TreeEntry): void {
    if (mode === '40000') this.tree(sha);
    else if (mode !== '160000') this.blob(sha);
  }
}

function missing(type: string, sha: Sha): never {
  throw new MissingObject(type, sha);
}
