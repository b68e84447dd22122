import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { gitBlobSha } from '../../../crypto/digests.js';
import type { PullFact, Sha } from '../../../domain/facts/facts.js';
import {
  type BootstrapPlan,
  planBootstrap,
  type ExistingFile,
  type TemplateFile,
} from '../../../domain/repository/bootstrap.js';
import {
  BOOTSTRAP_BRANCH,
  POLICY_FILE,
  CI_WORKFLOW,
  ENFORCE_WORKFLOW,
} from '../../../domain/repository/managed-files.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError, type GitHubErrorKind } from '../../../github/transport/github-error.js';
import type { PersonalToken, RepositoryRef } from '../../../github/transport/token-scope.js';
import { repositoryNotFound } from '../../../http/errors/domain-error.js';
import { starterPolicy } from '../../../policy-document/starter-policy.js';
import { bootstrapNotPossible, patRejected, patRequired } from '../repositories.errors.js';
import { WorkflowFilesService } from '../workflow-files/workflow-files.service.js';
import { WorkflowTemplatesService } from '../workflow-files/workflow-templates.service.js';
import { gfm, lines, type Markdown } from '../../../github/markdown.js';

/** The commit that the branch of a bootstrap starts from. */
interface BootstrapBase {
  readonly branch: string;
  readonly sha: Sha;
}

/** Writes the branch of a bootstrap and opens its pull request on GitHub. Each step is safe to repeat after a crash. */
@Injectable()
export class BootstrapGitHubService {
  constructor(
    private readonly github: GitHubGateway,
    private readonly workflows: WorkflowTemplatesService,
    private readonly workflowFiles: WorkflowFilesService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Throws if the repository does not exist, is archived or has no commit. */
  async findBase(ref: RepositoryRef): Promise<BootstrapBase> {
    const { value: repository } = await this.github.repositories.find(ref);
    if (!repository) throw repositoryNotFound();
    if (repository.archived) throw bootstrapNotPossible('The repository is archived on GitHub. Unarchive it first.');
    const branch = repository.defaultBranch;
    const sha = await this.findHead(ref, branch);
    if (sha === null) throw bootstrapNotPossible(`The repository is empty. Push a first commit to ${branch}.`);
    return { branch, sha };
  }

  /** Throws `unprocessable` if GitHub rejects the token, or if its owner cannot write to the repository. */
  async verifyToken(ref: RepositoryRef, token: PersonalToken): Promise<void> {
    try {
      const { value: repository } = await this.github.repositories.find({ ...ref, as: token });
      if (!repository) throw patRejected('It cannot access the repository.');
      if (repository.rights?.push === false) throw patRejected('Its owner cannot write to the repository.');
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized')) throw patRejected('It is unknown, expired or revoked.');
      if (GitHubError.is(error, 'forbidden')) throw patRejected('It is not authorized for the organization.');
      throw error;
    }
  }

  /** Compares the files of a bootstrap with the files of the repository. */
  async plan(ref: RepositoryRef, base: BootstrapBase): Promise<BootstrapPlan> {
    const files = this.buildFiles(ref.name);
    const present = new Map<string, ExistingFile>();
    for (const { path } of files) {
      const { value: file } = await this.github.repositories.file(ref, path, base.sha);
      if (!file) continue;
      const published = await this.workflowFiles.isPublished(null, path, file.blobSha);
      present.set(path, { blobSha: file.blobSha, published });
    }
    return planBootstrap(files, present);
  }

  /**
   * Points the branch of the bootstrap to exactly the planned files. Replaces any other content of the branch. Reuses the commit
   * of an earlier attempt, so that concurrent attempts create one commit.
   */
  async writeBranch(
    ref: RepositoryRef,
    writer: RepositoryRef,
    base: BootstrapBase,
    { write }: BootstrapPlan,
  ): Promise<void> {
    const found = await this.findHead(ref, BOOTSTRAP_BRANCH);
    if (found !== null && (await this.containsOnly(ref, base, found, write))) return;
    const commit = { baseSha: base.sha, files: write, message: BOOTSTRAP_MESSAGE };
    const { sha } = await convertingWriteErrors(writer, () => this.github.commits.create(writer, commit));
    if (!(await this.containsOnly(ref, base, sha, write))) {
      throw bootstrapNotPossible('The path of one of the files is a folder. Move the folder first.');
    }
    await convertingWriteErrors(writer, () => this.setBranch(writer, base, found, sha, write));
  }

  /** Opens the pull request as the app, also if a user's token wrote the branch. An open one is found by its branches and updated. */
  async openPull(ref: RepositoryRef, base: BootstrapBase, plan: BootstrapPlan): Promise<PullFact> {
    const body = bootstrapBody(plan, base.branch);
    const open = await this.findOpenPull(ref, base);
    if (open) return this.github.pulls.update(ref, open.number, { title: BOOTSTRAP_TITLE, body });
    try {
      const pull = { title: BOOTSTRAP_TITLE, head: BOOTSTRAP_BRANCH, base: base.branch, body };
      return await this.github.pulls.open(ref, pull);
    } catch (error) {
      const other = GitHubError.is(error, 'conflict') ? await this.findOpenPull(ref, base) : null;
      if (other === null) throw error;
      return other;
    }
  }

  private buildFiles(repository: string): readonly TemplateFile[] {
    const { baseUrl } = this.environment;
    const own = [
      { path: POLICY_FILE, content: starterPolicy(repository, `${baseUrl}/api/schemas/sdlc.v1.json`) },
      { path: GUIDE_FILE, content: starterGuide(baseUrl) },
    ];
    return [...own.map((file) => ({ ...file, blobSha: gitBlobSha(file.content) })), ...this.workflows.files()];
  }

  private async setBranch(
    writer: RepositoryRef,
    base: BootstrapBase,
    found: Sha | null,
    sha: Sha,
    write: readonly TemplateFile[],
  ): Promise<void> {
    if (found !== null) return this.github.branches.forceUpdate(writer, BOOTSTRAP_BRANCH, sha);
    try {
      await this.github.branches.create(writer, BOOTSTRAP_BRANCH, sha);
    } catch (error) {
      if (!GitHubError.is(error, 'conflict')) throw error;
      // Another attempt created it, or an earlier one whose response was lost.
      const other = await this.findHead(writer, BOOTSTRAP_BRANCH);
      if (other !== null && (await this.containsOnly(writer, base, other, write))) return;
      await this.github.branches.forceUpdate(writer, BOOTSTRAP_BRANCH, sha);
    }
  }

  /** Whether the commit differs from the base in exactly these files. */
  private async containsOnly(
    ref: RepositoryRef,
    base: BootstrapBase,
    sha: Sha,
    write: readonly TemplateFile[],
  ): Promise<boolean> {
    const { value } = await this.github.commits.compare(ref, base.sha, sha);
    const proposed = new Map(value.files.map(({ path, blobSha }) => [path, blobSha]));
    return (
      value.filesComplete &&
      proposed.size === write.length &&
      write.every(({ path, blobSha }) => proposed.get(path) === blobSha)
    );
  }

  private async findOpenPull(ref: RepositoryRef, base: BootstrapBase): Promise<PullFact | null> {
    const { value: pulls } = await this.github.pulls.listByHead(ref, BOOTSTRAP_BRANCH);
    return pulls.find(({ state, baseRef }) => state === 'open' && baseRef === base.branch) ?? null;
  }

  private async findHead(ref: RepositoryRef, branch: string): Promise<Sha | null> {
    try {
      return await this.github.branches.findHead(ref, branch);
    } catch (error) {
      // GitHub's response for a repository without a commit.
      if (GitHubError.is(error, 'conflict')) return null;
      throw error;
    }
  }
}

const TOKEN_ERRORS: ReadonlySet<GitHubErrorKind> = new Set(['unauthorized', 'forbidden', 'not_found', 'invalid']);

/** Converts an error of GitHub into one that says why the files cannot be written. */
async function convertingWriteErrors<T>(writer: RepositoryRef, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const { kind, message } = error;
    // GitHub answers `not_found` to a token without the workflow scope.
    if (writer.as !== undefined && TOKEN_ERRORS.has(kind)) throw patRejected(message);
    if (kind === 'forbidden' || (kind === 'invalid' && /workflow/i.test(message))) throw patRequired('workflows');
    if (kind === 'invalid' || kind === 'conflict') throw bootstrapNotPossible(`GitHub rejects the files. ${message}`);
    throw error;
  }
}

const GUIDE_FILE = '.github/SHIPGATE.md';

/** The guide that a bootstrap adds to the repository, for its developers. */
const starterGuide = (serviceUrl: string): string => `\
# Releases of this repository

[Shipgate](${serviceUrl}) governs the releases of this repository. CI uploads evidence for a release. Shipgate opens a pull
request with the evidence, which a reviewer approves. Then the deploy gate allows CI to deploy the release.

## A release

1. Create a milestone whose title is the version, such as \`v1.2.3\`, and assign its issues to it.
2. Run CI on the release branch \`release/v1.2.3\`, or on the default branch if you release from there. The results become
   evidence for the release.
3. When the tests pass, Shipgate opens the pull request \`Evidence for v1.2.3\`. Review and approve it.
4. Deploy with a workflow that needs the gate, as shown below. Its deploy job does not start while the gate is closed.

## The files

| file | purpose |
| --- | --- |
| \`sdlc.yaml\` | the rules: the checks, evidence and approvals that a release needs. Change it by pull request |
| \`.github/workflows/shipgate-ci.yml\` | runs the tests and uploads their reports. To upload from your own CI instead, remove this file from the pull request that adds it, before you merge |
| \`.github/workflows/shipgate-enforce.yml\` | checks \`sdlc.yaml\`, and contains the gate as a job that other jobs can need |

Shipgate updates the two workflows by pull requests. After they are merged, any other change of them fails the check
\`Shipgate\` on its pull request. If such a change is merged anyway, the gate stays closed until the change is reverted.

## Deploying

\`\`\`yaml
jobs:
  gate:
    uses: ./.github/workflows/shipgate-enforce.yml
    permissions: { contents: read, id-token: write }
    with:
      version: v1.2.3
      sha: \${{ github.sha }}
  deploy:
    needs: gate
    environment: production
    runs-on: ubuntu-latest
    steps:
      - run: echo deploying
\`\`\`
`;

const BOOTSTRAP_TITLE = 'Set up Shipgate';

const BOOTSTRAP_MESSAGE = `Set up Shipgate

Adds the rules of releases, the workflows that follow them, and a guide.`;

const PURPOSES: Readonly<Record<string, Markdown>> = {
  [POLICY_FILE]: gfm`the rules of releases, with every default in comments; it belongs to your team from now on`,
  [GUIDE_FILE]: gfm`a guide to releases for the developers of this repository`,
  [CI_WORKFLOW]: gfm`runs the tests and uploads their reports as evidence`,
  [ENFORCE_WORKFLOW]: gfm`checks the rules, and contains the deploy gate as a job for deploy workflows`,
};
const REASONS_NOT_TO_CHANGE: Readonly<Record<string, Markdown>> = {
  [CI_WORKFLOW]: gfm`is your own. The repository uses its own CI, which must upload the evidence`,
};

/** Builds the description of the pull request: the added files, the unchanged files, and the effects of the merge. */
function bootstrapBody({ write, unchanged, replaced }: BootstrapPlan, defaultBranch: string): Markdown {
  const noteOn = (path: string) => (replaced.includes(path) ? gfm` (replaces the present file)` : null);
  return lines([
    gfm`This pull request sets up this repository for Shipgate. It adds:`,
    gfm``,
    ...write.map(({ path }) => gfm`- ${path}: ${PURPOSES[path] ?? gfm`a file of Shipgate`}${noteOn(path)}`),
    ...unchanged.map((path) => gfm`- ${path} is not changed: it ${REASONS_NOT_TO_CHANGE[path] ?? gfm`is your own`}`),
    gfm``,
    gfm`**When it is merged**`,
    gfm``,
    gfm`- ${POLICY_FILE} governs releases: each milestone whose title is a version is a release.`,
    gfm`- Shipgate protects ${defaultBranch} and the release branches with its own rulesets: changes need an approved pull request with the check ${'Shipgate'}, and force pushes and deletions are rejected. Other rules are not changed.`,
    gfm`- Deployments by a workflow that needs the gate require evidence and an approval. Other deployments do not change.`,
    gfm``,
    gfm`If you close it without merging, nothing changes. You can start the set-up again later.`,
  ]);
}
