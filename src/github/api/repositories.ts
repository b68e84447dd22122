import { LRUCache } from 'lru-cache';
import type { PermissionFact, Sha } from '../../domain/facts/facts.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { type RepositoryRef, repositoryScope, scopeKey } from '../transport/token-scope.js';
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

/** Parses a response. Returns null if the path is of another kind. */
type Read<T> = (body: JsonReader) => T | null;

const COMMIT = /^[0-9a-f]{40}$/;
const MAX_MISSING_PATHS = 10_000;

/**
 * Reads files and folders. GitHub sends no ETag with a 404, so every read of a missing path would cost a call, while a
 * conditional read of an unchanged branch head costs none. So the cache stores the commit at which a path was missing.
 * A commit never changes, so the path stays missing there.
 */
class Contents {
  /** By caller, kind, branch and path: the commit without the path; null if the commit of the branch was not read. */
  private readonly missing = new LRUCache<string, { readonly commit: Sha | null }>({ max: MAX_MISSING_PATHS });

  constructor(private readonly calls: RepositoryCalls) {}

  /** Returns the result of `read` for the path at a branch, tag or commit; null if the path is missing or of another kind. */
  async find<T>(
    ref: RepositoryRef,
    path: string,
    gitRef: string,
    { kind, read }: { readonly kind: string; readonly read: Read<T> },
    signal?: AbortSignal,
  ): Promise<Observed<T | null>> {
    const at = (place: string): Promise<Observed<T | null>> =>
      this.calls.find(ref, this.calls.rest.repos.getContent, { path, ref: place }, read, signal);
    if (COMMIT.test(gitRef)) return at(gitRef);
    const key = `${scopeKey(repositoryScope(ref))} ${kind} ${gitRef} ${path}`;
    const head = this.missing.has(key) ? await this.readHead(ref, gitRef, signal) : null;
    if (head === null || head.value === null) return this.recordResult(key, null, await at(gitRef));
    const { value: sha, observedAt } = head;
    if (this.missing.get(key)?.commit === sha) return { value: null, observedAt };
    // Read at the commit, because the branch may move between the two calls.
    return this.recordResult(key, sha, { value: (await at(sha)).value, observedAt });
  }

  private recordResult<T>(key: string, commit: Sha | null, found: Observed<T | null>): Observed<T | null> {
    if (found.value === null) this.missing.set(key, { commit });
    else this.missing.delete(key);
    return found;
  }

  /** Returns the head of the branch; null in an empty repository. The value is null if there is no such branch. */
  private async readHead(
    ref: RepositoryRef,
    branch: string,
    signal?: AbortSignal,
  ): Promise<Observed<Sha | null> | null> {
    try {
      return await this.calls.find(
        ref,
        this.calls.rest.git.getRef,
        { ref: `heads/${branch}` },
        (body) => body.object('object').text('sha'),
        signal,
      );
    } catch (error) {
      if (GitHubError.is(error, 'conflict')) return null;
      throw error;
    }
  }
}
