import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../../test/support/fake-github-gateway.js';
import type { Database } from '../../../database/database.js';
import { toOrgId } from '../../../database/ids.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { PolicyFileService } from '../../policy/policy-file.service.js';
import type { PolicyPreviewService } from '../../releases/evaluation/policy-preview.service.js';
import type { FactReaderService } from '../../releases/facts/fact-reader.service.js';
import type { TamperingService } from '../tampering/tampering.service.js';
import type { WorkflowFilesService } from '../workflow-files/workflow-files.service.js';
import { ChangeAnalysisService } from './change-analysis.service.js';
import { WorkflowChangeService } from './workflow-change.service.js';
import type { ReleaseScopesQueries } from './release-scopes.queries.js';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const PUBLISHED = '1'.repeat(40);
const NEWER = '2'.repeat(40);
const FOREIGN = '3'.repeat(40);
const OTHER = '4'.repeat(40);
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const CI = '.github/workflows/shipgate-ci.yml';
const COMPARE = `GET /repos/acme/app/compare/main...${HEAD}`;
const ANN = { id: 8, login: 'ann' };

const repository: Repository = {
  id: 'r',
  githubId: APP.id,
  org: APP.owner,
  name: APP.name,
  defaultBranch: 'main',
  private: true,
  managed: true,
  holdsPolicyDefault: false,
  removed: false,
  ref: APP,
  organizationDefault: null,
};

const pullJson = (changes: object = {}): object => ({
  number: 4,
  title: 'Update workflows',
  body: null,
  user: ANN,
  milestone: null,
  head: { ref: 'shipgate/bootstrap', sha: HEAD, repo: { id: APP.id } },
  base: { ref: 'main', sha: BASE },
  ...changes,
});

const changed = (filename: string): object => ({ filename, status: 'modified', sha: HEAD });
const comparison = (files: readonly object[]): object => ({
  json: {
    status: 'ahead',
    merge_base_commit: { sha: BASE },
    files,
    commits: [],
    total_commits: 0,
  },
});

/** Builds an entry of a folder from its SHA, with another type than `file` before it if needed. */
const entryOf = (name: string): object => {
  const [sha, type = 'file'] = name.split(' ').toReversed();
  return { type, sha };
};

describe('the examination of a head', () => {
  let watched: readonly string[];
  let fake: FakeGitHubGateway;
  let examination: ChangeAnalysisService;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    watched = [];
    const { github } = fake;
    const database = { inTenant: (_org: unknown, work: (tx: unknown) => unknown) => work(null) };
    const workflows = new WorkflowChangeService(
      github,
      {
        isPublished: (_tx: unknown, _path: string, sha: string) => Promise.resolve([PUBLISHED, NEWER].includes(sha)),
      } as WorkflowFilesService,
      { findWatch: () => Promise.resolve({ files: watched }) } as unknown as TamperingService,
      database as unknown as Database,
    );
    examination = new ChangeAnalysisService(
      github,
      workflows,
      new PolicyFileService(github),
      // Neither is called if the rules do not change.
      {} as FactReaderService,
      {} as PolicyPreviewService,
      { list: () => Promise.resolve([]) } satisfies ReleaseScopesQueries,
      database as unknown as Database,
    );
  });
  afterEach(() => fake.server.stop());

  const examine = async (pull: object, compared: object) => {
    fake.server.on('GET /repos/acme/app/pulls', { json: [pull] });
    fake.server.on(COMPARE, compared);
    const where = { orgId: toOrgId('6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b'), repository, ref: APP };
    const [finding] = await examination.analyze(where, { sha: HEAD, mergeGroup: null });
    return { foreign: finding?.foreign, installed: finding?.installed };
  };
  /** Sets the blob SHAs of the files in the workflow folder at each commit. Without a file the folder does not exist. */
  const filesAre = (commits: Readonly<Record<string, Readonly<Record<string, string>>>>): void =>
    fake.server.on(`GET /repos/acme/app/contents/${encodeURIComponent('.github/workflows')}`, ({ query }) => {
      const files = Object.entries(commits[query.get('ref') ?? ''] ?? {});
      if (files.length === 0) return { status: 404, json: {} };
      return { json: files.map(([path, name]) => ({ name: path.split('/').at(-1), ...entryOf(name) })) };
    });
  const policyIs = (blobs: Readonly<Record<string, string>>): void =>
    fake.server.on('GET /repos/acme/app/contents/sdlc.yaml', ({ query }) => ({
      json: { type: 'file', size: 1, encoding: 'base64', content: 'eA==', sha: blobs[query.get('ref') ?? ''] },
    }));

  it('accepts files that Shipgate published, from any author', async () => {
    filesAre({ [BASE]: { [CI]: PUBLISHED }, [HEAD]: { [CI]: NEWER, [ENFORCE]: PUBLISHED } });
    const found = await examine(pullJson(), comparison([changed(CI), changed(ENFORCE)]));
    expect(found).toEqual({ foreign: [], installed: [CI, ENFORCE] });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['changed', { [CI]: FOREIGN }],
    ['removed', {}],
    ['replaced by a link that reads like it', { [CI]: `symlink ${PUBLISHED}` }],
    ['replaced by a folder', { [CI]: `dir ${PUBLISHED}` }],
  ])('rejects a file that is %s', async (_how, after) => {
    filesAre({ [BASE]: { [CI]: PUBLISHED }, [HEAD]: after });
    expect(await examine(pullJson(), comparison([changed(CI)]))).toEqual({ foreign: [CI], installed: [] });
  });

  it('ignores a file of the team until it is installed', async () => {
    filesAre({ [BASE]: { [CI]: FOREIGN }, [HEAD]: { [CI]: OTHER } });
    expect(await examine(pullJson(), comparison([changed(CI)]))).toEqual({ foreign: [], installed: [] });
    watched = [CI];
    expect(await examine(pullJson(), comparison([changed(CI)]))).toEqual({ foreign: [CI], installed: [] });
  });

  it('reads each relevant file if GitHub does not list all of them', async () => {
    const crowd = comparison(Array.from({ length: 300 }, (_, index) => changed(`a/${index}`)));
    filesAre({ [BASE]: { [CI]: PUBLISHED, [ENFORCE]: PUBLISHED }, [HEAD]: { [CI]: FOREIGN, [ENFORCE]: PUBLISHED } });
    policyIs({ [BASE]: 'rules', [HEAD]: 'rules' });
    expect(await examine(pullJson(), crowd)).toEqual({ foreign: [CI], installed: [] });
    filesAre({ [BASE]: { [CI]: PUBLISHED, [ENFORCE]: PUBLISHED } });
    expect(await examine(pullJson(), crowd)).toEqual({ foreign: [CI, ENFORCE], installed: [] });
  });

  it('finds nothing if the commit is no longer proposed or is gone', async () => {
    expect(await examine(pullJson({ head: { ref: 'x', sha: BASE, repo: null } }), comparison([]))).toEqual({});
    expect(await examine(pullJson(), { status: 404, json: {} })).toEqual({});
  });
});
