import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, scriptedGateway, type ScriptedGateway } from '../../../test/support/scripted-gateway.js';
import type { Database } from '../../database/database.js';
import { toOrgId } from '../../database/ids.js';
import type { Observer } from '../observations/observer.service.js';
import { PolicyObserver } from '../policy/policy-observer.service.js';
import type { PolicyPreviewReader } from '../releases/policy-preview.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { HeadExamination } from './head-examination.service.js';
import type { ReleaseScopesReader } from './release-scopes.reader.js';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const OWN = 'c'.repeat(40);
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const CI = '.github/workflows/shipgate-ci.yml';
const COMPARE = `GET /repos/acme/app/compare/main...${HEAD}`;
const BOT = { id: 9, login: 'shipgate[bot]' };
const ANN = { id: 8, login: 'ann' };

const repository: GovernedRepository = {
  id: 'r',
  githubId: APP.id,
  org: APP.owner,
  name: APP.name,
  defaultBranch: 'main',
  private: true,
  managed: true,
  removed: false,
  ref: APP,
  organizationDefault: null,
};
const pullJson = (changes: object = {}): object => ({
  number: 4,
  title: 'Update workflows',
  body: null,
  user: BOT,
  milestone: null,
  head: { ref: 'shipgate/bootstrap', sha: HEAD, repo: { id: APP.id } },
  base: { ref: 'main', sha: BASE },
  ...changes,
});
const commitJson = (sha: string, author: object): object => ({
  sha,
  parents: [{ sha: BASE }],
  author,
  committer: author,
});
const changed = (filename: string): object => ({ filename, status: 'modified', sha: HEAD });
const comparison = (files: readonly object[], commits: readonly object[] = [commitJson(HEAD, BOT)]): object => ({
  json: {
    status: 'ahead',
    merge_base_commit: { sha: BASE },
    files,
    commits,
    total_commits: commits.length,
  },
});

describe('the examination of a head', () => {
  let scripted: ScriptedGateway;
  let examination: HeadExamination;
  beforeEach(async () => {
    scripted = await scriptedGateway();
    const { github, host } = scripted;
    host.on('GET /app', {
      json: { id: 42, slug: 'shipgate', name: 'Shipgate', html_url: 'https://github.test/apps/shipgate' },
    });
    const database = { inTenant: (_org: unknown, work: (tx: unknown) => unknown) => work(null) };
    examination = new HeadExamination(
      github,
      new PolicyObserver(github),
      // Neither is asked where the rules stay as they are.
      {} as Observer,
      {} as PolicyPreviewReader,
      { list: () => Promise.resolve([]) } satisfies ReleaseScopesReader,
      database as unknown as Database,
    );
  });
  afterEach(() => scripted.host.stop());

  const examine = async (pull: object, compared: object) => {
    scripted.host.on('GET /repos/acme/app/pulls', { json: [pull] });
    scripted.host.on(COMPARE, compared);
    const where = { orgId: toOrgId('6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b'), repository, ref: APP };
    const [finding] = await examination.examine(where, { sha: HEAD, mergeGroup: null });
    return { foreign: finding?.foreign, installed: finding?.installed };
  };
  /** What the file is at the commit that is asked about; nothing where it is not named. */
  const fileIs = (path: string, blobs: Readonly<Record<string, string>>): void =>
    scripted.host.on(`GET /repos/acme/app/contents/${encodeURIComponent(path)}`, ({ query }) => {
      const sha = blobs[query.get('ref') ?? ''];
      if (sha === undefined) return { status: 404, json: {} };
      return { json: { type: 'file', size: 1, encoding: 'base64', content: 'eA==', sha } };
    });

  it("takes the app's commit on its own branch for the service's", async () => {
    const found = await examine(pullJson(), comparison([changed(ENFORCE)]));
    expect(found).toEqual({ foreign: [], installed: [ENFORCE] });
  });

  it.each([
    ['of a fork', { head: { ref: 'shipgate/bootstrap', sha: HEAD, repo: { id: 555 } } }],
    ['of a person', { user: ANN }],
    ['of another app', { user: { id: 9, login: 'other[bot]' } }],
    ['on another branch', { head: { ref: 'shipgate/evidence/v1.0.0', sha: HEAD, repo: { id: APP.id } } }],
  ])('takes no pull request %s for one of the service', async (_whose, changes) => {
    const found = await examine(pullJson(changes), comparison([changed(ENFORCE)]));
    expect(found).toEqual({ foreign: [ENFORCE], installed: [] });
  });

  it('holds what was committed on top to what the service left', async () => {
    const compared = comparison([changed(CI)], [commitJson(OWN, BOT), commitJson(HEAD, ANN)]);
    fileIs(CI, { [OWN]: 'blob-1', [HEAD]: 'blob-1' });
    expect(await examine(pullJson(), compared)).toEqual({ foreign: [], installed: [CI] });
    fileIs(CI, { [OWN]: 'blob-1', [HEAD]: 'blob-2' });
    expect(await examine(pullJson(), compared)).toEqual({ foreign: [CI], installed: [] });
    expect(await examine(pullJson(), comparison([changed(CI)], [commitJson(HEAD, ANN)]))).toMatchObject({
      foreign: [CI],
    });
  });

  it('looks at each file that matters where the host lists not all of them', async () => {
    const crowd = comparison(Array.from({ length: 300 }, (_, index) => changed(`a/${index}`)));
    fileIs(CI, { [BASE]: 'blob-1', [HEAD]: 'blob-2' });
    fileIs(ENFORCE, { [BASE]: 'blob-1', [HEAD]: 'blob-1' });
    fileIs('sdlc.yaml', { [BASE]: 'blob-1', [HEAD]: 'blob-1' });
    expect(await examine(pullJson({ user: ANN }), crowd)).toEqual({ foreign: [CI], installed: [] });
    fileIs(ENFORCE, { [BASE]: 'blob-1' });
    expect(await examine(pullJson({ user: ANN }), crowd)).toEqual({ foreign: [CI, ENFORCE], installed: [] });
  });

  it('finds nothing where the commit is proposed no more, or is gone', async () => {
    expect(await examine(pullJson({ head: { ref: 'x', sha: BASE, repo: null } }), comparison([]))).toEqual({});
    expect(await examine(pullJson(), { status: 404, json: {} })).toEqual({});
  });
});
