import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';
import type { SeenRequest } from '../../../test/support/fake-http-server.js';

const sha = (digit: string): string => digit.repeat(40);
const BASE = sha('a');
const HEAD = sha('b');
const COMPARE = `GET /repos/acme/app/compare/${BASE}...${HEAD}`;
const HISTORY = 'GET /repos/acme/app/commits';

const commitJson = (name: string, changes: object = {}): object => ({
  sha: name,
  parents: [{ sha: sha('0') }],
  author: { id: 5, login: 'ada' },
  committer: { id: 6, login: 'web-flow' },
  commit: { message: 'Pay by card\n\nCo-authored-by: Bo <7+bo@users.noreply.github.com>' },
  ...changes,
});
const comparisonJson = (changes: object = {}): object => ({
  status: 'ahead',
  merge_base_commit: { sha: BASE },
  total_commits: 1,
  commits: [commitJson(HEAD)],
  files: [{ filename: 'src/app.ts', status: 'modified', sha: sha('c') }],
  ...changes,
});

describe('Commits', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  const linked = (path: string, page: number, last: number): Readonly<Record<string, string>> =>
    page < last ? { link: `<${fake.server.url}${path}?page=${page + 1}>; rel="next"` } : {};
  const pageNumber = (request: SeenRequest): number => Number(request.query.get('page') ?? '1');

  describe('exists', () => {
    const COMMIT = `GET /repos/acme/app/git/commits/${HEAD}`;

    it.each([
      ['has', { json: { sha: HEAD } }, true],
      ['does not have', { status: 404, json: { message: 'Not Found' } }, false],
      ['cannot have, being empty', { status: 409, json: { message: 'Git Repository is empty.' } }, false],
    ])('finds out that a repository %s a commit', async (_name, reply, exists) => {
      fake.server.on(COMMIT, reply);
      await expect(fake.github.commits.exists(APP, HEAD)).resolves.toBe(exists);
    });

    it('fails if GitHub does not answer', async () => {
      fake.server.on(COMMIT, { status: 502, json: {} });
      await expect(fake.github.commits.exists(APP, HEAD)).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  describe('history', () => {
    it('reads three pages at most', async () => {
      fake.server.on(HISTORY, (request) => ({
        json: [commitJson(`${pageNumber(request)}`.repeat(40))],
        headers: linked('/repos/acme/app/commits', pageNumber(request), 9),
      }));
      const { value } = await fake.github.commits.history(APP, HEAD);
      expect(value.map((commit) => commit.sha)).toEqual([sha('1'), sha('2'), sha('3')]);
      expect(fake.server.calls(HISTORY)[0]?.query.get('sha')).toBe(HEAD);
    });

    it.each([
      ['https://github.com', ['ada']],
      ['https://git.acme.test', ['ada', 'bo']],
    ])('finds co-authors by the addresses of GitHub, as %s', async (webUrl, coAuthors) => {
      const own = await startFakeGitHubGateway({ webUrl });
      const message = `Pay
Co-authored-by: <ada@users.noreply.github.com>
Co-authored-by: <bo@users.noreply.git.acme.test>`;
      own.server.on(HISTORY, { json: [commitJson(HEAD, { commit: { message } })] });
      await expect(own.github.commits.history(APP, HEAD)).resolves.toMatchObject({ value: [{ coAuthors }] });
      await own.server.stop();
    });

    it.each([
      ['null', null],
      ['an empty object', {}],
    ])('finds no account if the author is %s', async (_, outsider) => {
      fake.server.on(HISTORY, { json: [commitJson(HEAD, { author: outsider, committer: outsider })] });
      await expect(fake.github.commits.history(APP, HEAD)).resolves.toMatchObject({
        value: [{ sha: HEAD, parents: [sha('0')], authorId: null, committerId: null, coAuthors: [7] }],
      });
    });
  });

  describe('compare', () => {
    const compare = async (changes: object) => {
      fake.server.on(COMPARE, { json: comparisonJson(changes) });
      return (await fake.github.commits.compare(APP, BASE, HEAD)).value;
    };

    it('returns how head relates to base', async () => {
      await expect(compare({})).resolves.toEqual({
        status: 'ahead',
        mergeBaseSha: BASE,
        files: [{ path: 'src/app.ts', blobSha: sha('c') }],
        filesComplete: true,
        commits: [{ sha: HEAD, parents: [sha('0')], authorId: 5, committerId: 6, coAuthors: [7] }],
        commitsComplete: true,
      });
    });

    it('returns both paths of a renamed file, because the old one differs too', async () => {
      const renamed = {
        filename: '.releases/app.ts',
        previous_filename: 'src/app.ts',
        status: 'renamed',
        sha: sha('c'),
      };
      await expect(compare({ files: [renamed] })).resolves.toMatchObject({
        files: [
          { path: 'src/app.ts', blobSha: null },
          { path: '.releases/app.ts', blobSha: sha('c') },
        ],
      });
    });

    it('returns a removed file without content, though GitHub states its former blob', async () => {
      const removed = { filename: 'src/app.ts', status: 'removed', sha: sha('c') };
      await expect(compare({ files: [removed] })).resolves.toMatchObject({
        files: [{ path: 'src/app.ts', blobSha: null }],
      });
    });

    it.each([
      [299, true],
      [300, false],
    ])('treats %d files as complete: %p', async (count, filesComplete) => {
      const files = Array.from({ length: count }, (_, index) => ({
        filename: `f${index}`,
        status: 'added',
        sha: sha('c'),
      }));
      await expect(compare({ files })).resolves.toMatchObject({ filesComplete });
    });

    it('marks the result if it did not read all commits', async () => {
      await expect(compare({ total_commits: 2 })).resolves.toMatchObject({ commitsComplete: false });
    });

    it('returns the commits of all pages and the files of the first', async () => {
      fake.server.on(COMPARE, (request) => ({
        json: comparisonJson({
          total_commits: 2,
          commits: [commitJson(`${pageNumber(request)}`.repeat(40))],
          ...(pageNumber(request) === 1 ? {} : { files: undefined }),
        }),
        headers: linked(`/repos/acme/app/compare/${BASE}...${HEAD}`, pageNumber(request), 2),
      }));
      await expect(fake.github.commits.compare(APP, BASE, HEAD)).resolves.toMatchObject({
        value: {
          commits: [{ sha: sha('1') }, { sha: sha('2') }],
          commitsComplete: true,
          files: [{ path: 'src/app.ts' }],
        },
      });
    });

    it('rejects a comparison without its files', async () => {
      await expect(compare({ files: undefined })).rejects.toMatchObject({ kind: 'malformed' });
    });
  });

  it('writes a commit on top of a base commit and keeps its other files', async () => {
    const { server: host, github } = fake;
    host.on(`GET /repos/acme/app/git/commits/${BASE}`, { json: { tree: { sha: sha('1') } } });
    host.on('POST /repos/acme/app/git/blobs', { status: 502 }, { status: 201, json: { sha: sha('2') } });
    host.on('POST /repos/acme/app/git/trees', { status: 201, json: { sha: sha('3') } });
    host.on('POST /repos/acme/app/git/commits', { status: 201, json: { sha: sha('4') } });
    const files = [{ path: '.releases/v1.0.0/EVIDENCE.md', content: '# Évidence' }];
    await expect(github.commits.create(APP, { baseSha: BASE, files, message: 'docs: evidence' })).resolves.toEqual({
      sha: sha('4'),
      files: [{ path: '.releases/v1.0.0/EVIDENCE.md', blobSha: sha('2') }],
    });
    const sent = (route: string): unknown => JSON.parse(host.calls(route).at(-1)?.body ?? '');
    expect(sent('POST /repos/acme/app/git/blobs')).toEqual({
      content: Buffer.from('# Évidence').toString('base64'),
      encoding: 'base64',
    });
    expect(sent('POST /repos/acme/app/git/trees')).toEqual({
      base_tree: sha('1'),
      tree: [{ path: '.releases/v1.0.0/EVIDENCE.md', mode: '100644', type: 'blob', sha: sha('2') }],
    });
    expect(sent('POST /repos/acme/app/git/commits')).toEqual({
      message: 'docs: evidence',
      tree: sha('3'),
      parents: [BASE],
    });
  });
});
