import { parseCoAuthors } from '../../domain/facts/co-authors.js';
import { WEB_FLOW_ID } from '../../domain/review/release-authors.js';
import type { CommitFact, ComparisonFact, Sha } from '../../domain/facts/facts.js';
import type { GitHubSettings } from '../github-settings.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** A text file to write; its path starts at the root of the repository. */
interface NewFile {
  readonly path: string;
  readonly content: string;
}

interface NewCommit {
  /** The only parent. Its files stay, except for the given ones. */
  readonly baseSha: Sha;
  readonly files: readonly NewFile[];
  readonly message: string;
}

/** The commit that changed a file last, and its GitHub user. Null if GitHub knows no account. */
interface FileChange {
  readonly sha: Sha;
  readonly committer: { readonly id: number; readonly login: string } | null;
}

interface WrittenCommit {
  readonly sha: Sha;
  readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
}

const HISTORY_PAGES = 3;
const COMPARISON_PAGES = 10;
/** The highest number of files that GitHub lists in a comparison, on all pages together. */
const COMPARISON_FILES = 300;

export class Commits {
  private readonly parseCommit: (item: JsonReader) => CommitFact;

  constructor(
    private readonly calls: RepositoryCalls,
    { webUrl }: Pick<GitHubSettings, 'webUrl'>,
  ) {
    // Commits on an Enterprise Server have its addresses, or those of github.com if they were imported from there.
    const hosts = new Set(['github.com', new URL(webUrl).hostname]);
    this.parseCommit = (item) => parseCommit(item, hosts);
  }

  /** Lists the commit and its ancestors, newest first, 300 at most. */
  async history(ref: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<Observed<readonly CommitFact[]>> {
    const { value: pages, observedAt } = await this.calls.pages(
      ref,
      this.calls.rest.repos.listCommits,
      { sha, per_page: 100 },
      HISTORY_PAGES,
      signal,
    );
    return { value: pages.flatMap((page) => page.items().map(this.parseCommit)), observedAt };
  }

  /** Returns whether the commit or an ancestor of it added, changed or removed the file. */
  async hasChangedFile(ref: RepositoryRef, sha: Sha, path: string, signal?: AbortSignal): Promise<Observed<boolean>> {
    return this.calls.get(
      ref,
      this.calls.rest.repos.listCommits,
      { sha, path, per_page: 1 },
      (body) => body.items().length > 0,
      signal,
    );
  }

  /** Returns whether GitHub has the commit. Forks share their commits, so it has those of forks, too. */
  async exists(ref: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<boolean> {
    try {
      const { getCommit } = this.calls.rest.git;
      const found = await this.calls.find(ref, getCommit, { commit_sha: sha }, (body) => body.text('sha'), signal);
      return found.value === sha;
    } catch (error) {
      // An empty repository has no commit.
      if (GitHubError.is(error, 'conflict')) return false;
      throw error;
    }
  }

  /** Returns the newest commit of the branch that added, changed or removed the file. Null if there is none. */
  async findLastChange(ref: RepositoryRef, branch: string, path: string): Promise<FileChange | null> {
    const { value } = await this.calls.get(
      ref,
      this.calls.rest.repos.listCommits,
      { sha: branch, path, per_page: 1 },
      (body) => body.items().map(parseFileChange),
    );
    return value[0] ?? null;
  }

  /** Compares `head` with `base`. Marks lists that GitHub truncated as incomplete. */
  async compare(ref: RepositoryRef, base: Sha, head: Sha, signal?: AbortSignal): Promise<Observed<ComparisonFact>> {
    const { value: pages, observedAt } = await this.calls.pages(
      ref,
      this.calls.rest.repos.compareCommitsWithBasehead,
      { basehead: `${base}...${head}`, per_page: 100 },
      COMPARISON_PAGES,
      signal,
    );
    return { value: parseComparison(pages, this.parseCommit), observedAt };
  }

  /** Writes a commit that no branch points to. After retries, only the commit that a branch is then set to has an effect. */
  async create(ref: RepositoryRef, commit: NewCommit, signal?: AbortSignal): Promise<WrittenCommit> {
    const baseTree = await this.calls.get(
      ref,
      this.calls.rest.git.getCommit,
      { commit_sha: commit.baseSha },
      (body) => body.object('tree').text('sha'),
      signal,
    );
    const files: { readonly path: string; readonly blobSha: Sha }[] = [];
    for (const { path, content } of commit.files) {
      files.push({ path, blobSha: await this.createBlob(ref, content, signal) });
    }
    const tree = await this.calls.write(
      ref,
      this.calls.rest.git.createTree,
      {
        base_tree: baseTree.value,
        tree: files.map(({ path, blobSha }) => ({
          path,
          sha: blobSha,
          mode: '100644' as const,
          type: 'blob' as const,
        })),
      },
      (body) => body.text('sha'),
      { idempotent: true, signal },
    );
    const sha = await this.calls.write(
      ref,
      this.calls.rest.git.createCommit,
      { message: commit.message, tree, parents: [commit.baseSha] },
      (body) => body.text('sha'),
      // A second commit differs at most in its date, and no branch points to the first.
      { idempotent: true, signal },
    );
    return { sha, files };
  }

  private async createBlob(ref: RepositoryRef, content: string, signal?: AbortSignal): Promise<Sha> {
    return this.calls.write(
      ref,
      this.calls.rest.git.createBlob,
      { content: Buffer.from(content, 'utf8').toString('base64'), encoding: 'base64' },
      (body) => body.text('sha'),
      { idempotent: true, signal },
    );
  }
}

function parseCommit(item: JsonReader, hosts: ReadonlySet<string>): CommitFact {
  return {
    sha: item.text('sha'),
    parents: item.list('parents').map((parent) => parent.text('sha')),
    // An unknown author is null or, according to GitHub's OpenAPI description, an empty object.
    authorId: item.objectOrNull('author')?.integerOrNull('id') ?? null,
    committerId: item.objectOrNull('committer')?.integerOrNull('id') ?? null,
    coAuthors: parseCoAuthors(item.object('commit').text('message'), hosts),
  };
}

/** The committer of changes on GitHub's pages is the account `web-flow`. Then the author made the change. */
function parseFileChange(item: JsonReader): FileChange {
  const accounts = [item.objectOrNull('committer'), item.objectOrNull('author')].map((account) => ({
    id: account?.integerOrNull('id') ?? null,
    login: account?.textOrNull('login') ?? null,
  }));
  const known = accounts.find(({ id, login }) => id !== null && login !== null && id !== WEB_FLOW_ID);
  const committer = known && known.id !== null && known.login !== null ? { id: known.id, login: known.login } : null;
  return { sha: item.text('sha'), committer };
}

function parseComparison(
  [first, ...others]: readonly [JsonReader, ...JsonReader[]],
  readCommit: (item: JsonReader) => CommitFact,
): ComparisonFact {
  const files = first.list('files');
  const commits = [first, ...others].flatMap((page) => page.list('commits').map(readCommit));
  return {
    status: first.readChoice('status', ['identical', 'ahead', 'behind', 'diverged']),
    mergeBaseSha: first.object('merge_base_commit').text('sha'),
    files: files.flatMap(parseFileChanges),
    filesComplete: files.length < COMPARISON_FILES,
    commits,
    commitsComplete: commits.length === first.integer('total_commits'),
  };
}

/** Lists the changed paths of a file. A renamed file is a change at both paths, so that a file that was moved away is not missed. */
function parseFileChanges(file: JsonReader): ComparisonFact['files'] {
  const status = file.text('status');
  const path = file.text('filename');
  if (status === 'removed') return [{ path, blobSha: null }];
  const change = { path, blobSha: file.textOrNull('sha') };
  return status === 'renamed' ? [{ path: file.text('previous_filename'), blobSha: null }, change] : [change];
}
