import { coAuthorsOf } from '../../domain/facts/co-authors.js';
import type { CommitFact, ComparisonFact, Sha } from '../../domain/facts/facts.js';
import type { GitHubSettings } from '../github-settings.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** A file to write, as text, at its path from the repository's root. */
interface NewFile {
  readonly path: string;
  readonly content: string;
}

interface NewCommit {
  /** The only parent; its tree is kept but for the files given. */
  readonly baseSha: Sha;
  readonly files: readonly NewFile[];
  readonly message: string;
}

interface WrittenCommit {
  readonly sha: Sha;
  readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
}

const HISTORY_PAGES = 3;
const COMPARISON_PAGES = 10;
/** GitHub lists no more files than this in a comparison, whatever the pages. */
const COMPARISON_FILES = 300;

export class Commits {
  private readonly commitOf: (item: JsonReader) => CommitFact;

  constructor(
    private readonly calls: RepositoryCalls,
    { webUrl }: Pick<GitHubSettings, 'webUrl'>,
  ) {
    // An Enterprise Server has addresses of its own, beside those of commits that came from github.com.
    const hosts = new Set(['github.com', new URL(webUrl).hostname]);
    this.commitOf = (item) => commitOf(item, hosts);
  }

  /** The commit and its ancestors, newest first, the 300 newest at most. */
  async history(ref: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<Observed<readonly CommitFact[]>> {
    const { value: pages, observedAt } = await this.calls.pages(
      ref,
      this.calls.rest.repos.listCommits,
      { sha, per_page: 100 },
      HISTORY_PAGES,
      signal,
    );
    return { value: pages.flatMap((page) => page.items().map(this.commitOf)), observedAt };
  }

  /** Whether the commit or an ancestor of it added, changed or removed the file. */
  async hasChangedFile(ref: RepositoryRef, sha: Sha, path: string, signal?: AbortSignal): Promise<Observed<boolean>> {
    return this.calls.get(
      ref,
      this.calls.rest.repos.listCommits,
      { sha, path, per_page: 1 },
      (body) => body.items().length > 0,
      signal,
    );
  }

  /** How `head` relates to `base`; what GitHub cut short is marked as incomplete. */
  async compare(ref: RepositoryRef, base: Sha, head: Sha, signal?: AbortSignal): Promise<Observed<ComparisonFact>> {
    const { value: pages, observedAt } = await this.calls.pages(
      ref,
      this.calls.rest.repos.compareCommitsWithBasehead,
      { basehead: `${base}...${head}`, per_page: 100 },
      COMPARISON_PAGES,
      signal,
    );
    return { value: comparisonOf(pages, this.commitOf), observedAt };
  }

  /** Writes a commit that no branch points to yet; of several tries only that counts which a branch is then moved to. */
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
      // A second one differs in its date at most, and nothing points to the first.
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

function commitOf(item: JsonReader, hosts: ReadonlySet<string>): CommitFact {
  return {
    sha: item.text('sha'),
    parents: item.list('parents').map((parent) => parent.text('sha')),
    // An unknown author is null or, by GitHub's description, an empty object.
    authorId: item.objectOrNull('author')?.integerOrNull('id') ?? null,
    committerId: item.objectOrNull('committer')?.integerOrNull('id') ?? null,
    coAuthors: coAuthorsOf(item.object('commit').text('message'), hosts),
  };
}

function comparisonOf(
  [first, ...others]: readonly [JsonReader, ...JsonReader[]],
  readCommit: (item: JsonReader) => CommitFact,
): ComparisonFact {
  const files = first.list('files');
  const commits = [first, ...others].flatMap((page) => page.list('commits').map(readCommit));
  return {
    status: first.oneOf('status', ['identical', 'ahead', 'behind', 'diverged']),
    mergeBaseSha: first.object('merge_base_commit').text('sha'),
    files: files.flatMap(changesOf),
    filesComplete: files.length < COMPARISON_FILES,
    commits,
    commitsComplete: commits.length === first.integer('total_commits'),
  };
}

/** A renamed file differs at both of its paths: leaving the old one out would hide what was moved away. */
function changesOf(file: JsonReader): ComparisonFact['files'] {
  const status = file.text('status');
  const path = file.text('filename');
  if (status === 'removed') return [{ path, blobSha: null }];
  const change = { path, blobSha: file.textOrNull('sha') };
  return status === 'renamed' ? [{ path: file.text('previous_filename'), blobSha: null }, change] : [change];
}
