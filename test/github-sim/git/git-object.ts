import { createHash } from 'node:crypto';

/** A SHA-1 as git prints it: 40 lower-case hex digits. */
export type Sha = string;

export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly date: Date;
}

export type TreeEntryMode = '100644' | '100755' | '120000' | '40000' | '160000';

export interface TreeEntry {
  readonly mode: TreeEntryMode;
  readonly name: string;
  readonly sha: Sha;
}

export interface CommitObject {
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

/** The id that git gives to an object: the SHA-1 of its type, its length and its bytes. */
export function objectSha(type: 'blob' | 'tree' | 'commit', body: Buffer): Sha {
  return createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest('hex');
}

/** The bytes of a tree object. Git sorts its entries by name, and a folder as if its name ended with a slash. */
export function serializeTree(entries: readonly TreeEntry[]): Buffer {
  const sortKey = (entry: TreeEntry) => Buffer.from(entry.mode === '40000' ? `${entry.name}/` : entry.name);
  const sorted = [...entries].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, sha }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]),
  );
}

export function serializeCommit(commit: CommitObject): Buffer {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${serializeSignature(commit.author)}`,
    `committer ${serializeSignature(commit.committer)}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${commit.message}`);
}

function serializeSignature({ name, email, date }: Signature): string {
  return `${name} <${email}> ${Math.floor(date.getTime() / 1000)} +0000`;
}
