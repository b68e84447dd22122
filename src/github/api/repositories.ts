import type { PermissionFact } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import { Contents } from './contents.js';
import type { GitHubRepository, RepositoryCalls } from './repository-calls.js';

/** A file's text at one ref; `blobSha` is git's own name of its content. */
interface FileContent {
  readonly text: string;
  readonly blobSha: string;
}

/** An entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  /** False for a folder, a link, and another repository, whatever they lead to. */
  readonly isFile: boolean;
  /** Git's own name of its content. */
  readonly sha: string;
}

/** The largest file that the contents interface hands out with its text. */
const MAX_FILE_BYTES = 1024 * 1024;

export class Repositories {
  private readonly contents: Contents;

  constructor(private readonly calls: RepositoryCalls) {
    this.contents = new Contents(calls);
  }

  /** Null where the installation cannot read the repository of this id: deleted, withdrawn, or another under its name. */
  async find(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<GitHubRepository | null>> {
    return this.calls.describe(ref, signal);
  }

  /** The file at a branch, tag or commit, null where none is there; over 1 MB it is refused as `invalid`. */
  async file(
    ref: RepositoryRef,
    path: string,
    gitRef: string,
    signal?: AbortSignal,
  ): Promise<Observed<FileContent | null>> {
    return this.contents.find(ref, path, gitRef, { kind: 'file', read: (body) => fileOf(body, path) }, signal);
  }

  /**
   * The entries of a folder at a branch, tag or commit, of which GitHub lists 1,000 at most; null where no folder is
   * there.
   */
  async folder(
    ref: RepositoryRef,
    path: string,
    gitRef: string,
    signal?: AbortSignal,
  ): Promise<Observed<readonly FolderEntry[] | null>> {
    const read = (body: JsonReader): readonly FolderEntry[] | null =>
      body.isList() ? body.items().map(entryOf) : null;
    return this.contents.find(ref, path, gitRef, { kind: 'folder', read }, signal);
  }

  /** What the person may do; `none` also where GitHub knows nobody of that login. */
  async permission(ref: RepositoryRef, login: string, signal?: AbortSignal): Promise<Observed<PermissionFact>> {
    const { value, observedAt } = await this.calls.find(
      ref,
      this.calls.rest.repos.getCollaboratorPermissionLevel,
      { username: login },
      permissionOf,
      signal,
    );
    return { value: value ?? { userId: null, level: 'none' }, observedAt };
  }
}

function fileOf(body: JsonReader, path: string): FileContent | null {
  if (body.isList() || body.text('type') !== 'file') return null;
  if (body.integer('size') > MAX_FILE_BYTES) throw new GitHubError('invalid', `${path} is larger than 1 MB`);
  body.oneOf('encoding', ['base64']);
  return { text: Buffer.from(body.text('content'), 'base64').toString('utf8'), blobSha: body.text('sha') };
}

/** A link is told by its type here, where the file itself would be answered with what the link leads to. */
const entryOf = (item: JsonReader): FolderEntry => ({
  name: item.text('name'),
  // "submodule" is listed as "file", with the SHA of a commit, which no file has: https://docs.github.com/rest/repos/contents
  isFile: item.text('type') === 'file',
  sha: item.text('sha'),
});

const LEVELS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

/** `permission` folds maintain into write and triage into read; `role_name` tells them apart, or names a custom role. */
function permissionOf(body: JsonReader): PermissionFact {
  const role = body.textOrNull('role_name');
  return {
    userId: body.objectOrNull('user')?.integer('id') ?? null,
    level: LEVELS.find((level) => level === role) ?? body.oneOf('permission', ['none', 'read', 'write', 'admin']),
  };
}
