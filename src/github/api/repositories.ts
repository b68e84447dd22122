import type { PermissionFact } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import { Contents } from './contents.js';
import type { GitHubRepository, RepositoryCalls } from './repository-calls.js';

/** The text of a file at one ref, with the SHA of its git blob. */
interface FileContent {
  readonly text: string;
  readonly blobSha: string;
}

export interface FolderEntry {
  readonly name: string;
  /** False for a folder, a symbolic link and a submodule. */
  readonly isFile: boolean;
  /** The SHA of the git object. */
  readonly sha: string;
}

/** The largest file that GitHub's contents API returns with its text. */
const MAX_FILE_BYTES = 1024 * 1024;

export class Repositories {
  private readonly contents: Contents;

  constructor(private readonly calls: RepositoryCalls) {
    this.contents = new Contents(calls);
  }

  /** Returns the repository; null if it was deleted, the installation cannot read it, or another repository has its name. */
  async find(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<GitHubRepository | null>> {
    return this.calls.describe(ref, signal);
  }

  /** Returns a file at a branch, tag or commit; null if there is none. Fails as `invalid` if it is larger than 1 MB. */
  async file(
    ref: RepositoryRef,
    path: string,
    gitRef: string,
    signal?: AbortSignal,
  ): Promise<Observed<FileContent | null>> {
    return this.contents.find(ref, path, gitRef, { kind: 'file', read: (body) => parseFile(body, path) }, signal);
  }

  /**
   * Lists the entries of a folder at a branch, tag or commit; null if there is no folder. GitHub lists at most 1,000
   * entries.
   */
  async folder(
    ref: RepositoryRef,
    path: string,
    gitRef: string,
    signal?: AbortSignal,
  ): Promise<Observed<readonly FolderEntry[] | null>> {
    const read = (body: JsonReader): readonly FolderEntry[] | null =>
      body.isList() ? body.items().map(parseEntry) : null;
    return this.contents.find(ref, path, gitRef, { kind: 'folder', read }, signal);
  }

  /** Returns the permission of a user; `none` also for an unknown login. */
  async permission(ref: RepositoryRef, login: string, signal?: AbortSignal): Promise<Observed<PermissionFact>> {
    const { value, observedAt } = await this.calls.find(
      ref,
      this.calls.rest.repos.getCollaboratorPermissionLevel,
      { username: login },
      parsePermission,
      signal,
    );
    return { value: value ?? { userId: null, level: 'none' }, observedAt };
  }
}

function parseFile(body: JsonReader, path: string): FileContent | null {
  if (body.isList() || body.text('type') !== 'file') return null;
  if (body.integer('size') > MAX_FILE_BYTES) throw new GitHubError('invalid', `${path} is larger than 1 MB`);
  body.readChoice('encoding', ['base64']);
  return { text: Buffer.from(body.text('content'), 'base64').toString('utf8'), blobSha: body.text('sha') };
}

/** Reads the type of an entry. A read of the file itself would follow a symbolic link. */
const parseEntry = (item: JsonReader): FolderEntry => ({
  name: item.text('name'),
  // GitHub lists a submodule as "file", with the SHA of a commit, which no file has: https://docs.github.com/rest/repos/contents
  isFile: item.text('type') === 'file',
  sha: item.text('sha'),
});

const LEVELS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

/** Reads `role_name`, because `permission` reports maintain as write and triage as read. A custom role has its base permission. */
function parsePermission(body: JsonReader): PermissionFact {
  const role = body.textOrNull('role_name');
  const userId = body.objectOrNull('user')?.integer('id') ?? null;
  const level = LEVELS.find((known) => known === role);
  if (level) return { userId, level };
  const base = body.readChoice('permission', ['none', 'read', 'write', 'admin']);
  return { userId, level: base, ...(role !== null && { isCustomRole: true }) };
}
