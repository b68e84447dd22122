import { describe, expect, it } from '@jest/globals';
import { NOW, PLAIN_POLICY, policyWith, sha } from '../../../test/support/given-facts.js';
import type { Observation } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { type OpenRelease, type ResolutionInputs, resolveRelease, versionInRef } from './resolve-release.js';

const [A, B, C] = [sha('a'), sha('b'), sha('c')];

const open = (version: string, ...candidateShas: readonly string[]): OpenRelease => ({ version, candidateShas });

/** The facts about branches, with one commit for all. */
const branches = (...names: readonly string[]): TrackedFacts =>
  new TrackedFacts(
    ['release/', 'hotfix/'].map((key): Observation => ({
      kind: 'refs',
      key,
      value: names.filter((name) => name.startsWith(key)).map((branch) => ({ branch, sha: C })),
      observedAt: NOW,
    })),
  );

const inputs = (changes: Partial<ResolutionInputs> = {}): ResolutionInputs => ({
  policy: PLAIN_POLICY,
  developmentBranch: 'main',
  hasNamedRelease: true,
  openReleases: [],
  facts: branches(),
  ...changes,
});

const resolve = (ref: string, changes: Partial<ResolutionInputs> = {}, commit: string | null = null) =>
  resolveRelease({ ref, sha: commit }, inputs(changes));

describe('the version in a ref', () => {
  it.each([
    ['v1.4.0', 'v1.4.0'],
    ['refs/tags/v1.4.0', 'v1.4.0'],
    ['refs/tags/v1.4.0-rc.1', 'v1.4.0-rc.1'],
    ['release/v1.4.0', 'v1.4.0'],
    ['release/2026/v1.4.0', 'v1.4.0'],
    ['refs/heads/release/v1.4.0', 'v1.4.0'],
    ['refs/heads/hotfix/v1.4.1', 'v1.4.1'],
    ['1.4.0', null],
    ['refs/tags/1.4.0', null],
    ['refs/tags/release-1', null],
    // A branch with the name of a version is no release branch, and a tag with the name of a release branch is no version.
    ['refs/heads/v1.4.0', null],
    ['refs/tags/release/v1.4.0', null],
    ['release/v1.4.0/fix', null],
    ['release/next', null],
    ['feature/v1.4.0', null],
    ['refs/heads/main', null],
    ['refs/pull/7/merge', null],
    ['refs/pull/7/v1.4.0', null],
    ['', null],
  ])('%s is %j', (ref, version) => {
    expect(versionInRef(ref, PLAIN_POLICY)).toBe(version);
  });

  it('follows the naming and the branch patterns of the policy', () => {
    const policy = policyWith({
      releaseNaming: 'calver',
      testing: { ...PLAIN_POLICY.testing, branchPattern: 'ship-*/*' },
      hotfixBranchPatterns: ['**'],
    });
    expect(versionInRef('2026.5.1', policy)).toBe('2026.5.1');
    expect(versionInRef('v1.4.0', policy)).toBeNull();
    expect(versionInRef('refs/heads/ship-it/2026.5.1', policy)).toBe('2026.5.1');
    expect(versionInRef('refs/heads/2026.5.1', policy)).toBe('2026.5.1');
  });

  it('is null on a branch of the service for any patterns', () => {
    const policy = policyWith({ hotfixBranchPatterns: ['**'] });
    expect(versionInRef('refs/heads/shipgate/evidence/v1.4.0', policy)).toBeNull();
  });
});

describe('the release of a run', () => {
  it.each(['v1.4.0', 'refs/tags/v1.4.0', 'release/v1.4.0', 'refs/heads/hotfix/v1.4.0'])(
    'is named by %s for any open releases',
    (ref) => {
      const answer = { version: 'v1.4.0', because: `"${ref}" names the version.` };
      expect(resolve(ref)).toEqual(answer);
      expect(resolve(ref, { openReleases: [open('v1.5.0', A)] }, A)).toEqual(answer);
    },
  );

  it.each(['v9.9.9', 'release/v9.9.9'])('is none if %s names a version without a release', (ref) => {
    expect(resolve(ref, { hasNamedRelease: false, openReleases: [open('v1.5.0')] })).toEqual({
      version: null,
      because: `"${ref}" names the version v9.9.9, but the repository has no release of it.`,
      candidates: [],
    });
  });

  it.each(['feature/pay', 'refs/tags/main', 'refs/pull/7/merge', 'refs/heads/Main', 'release/next'])(
    'is none for %s, also with one open release',
    (ref) => {
      expect(resolve(ref, { openReleases: [open('v1.5.0', A)] }, A)).toEqual({
        version: null,
        because: `"${ref}" is neither a version, nor a release branch, nor the development branch.`,
        candidates: [],
      });
    },
  );

  it.each(['main', 'refs/heads/main'])('is the only open one for the development branch as %s', (ref) => {
    expect(resolve(ref, { openReleases: [open('v1.5.0')] })).toEqual({
      version: 'v1.5.0',
      because: `"${ref}" is the development branch, and one open release is built from it.`,
    });
  });

  it('is found on the development branch of the policy', () => {
    const changes = { developmentBranch: 'develop', openReleases: [open('v1.5.0')] };
    expect(resolve('develop', changes).version).toBe('v1.5.0');
    expect(resolve('main', changes).version).toBeNull();
  });

  it('is no release with a release branch if the run is of the development branch', () => {
    const openReleases = [open('v1.4.0', A), open('v1.5.0')];
    const facts = branches('release/v1.4.0', 'hotfix/v1.4.1');
    expect(resolve('main', { openReleases, facts }).version).toBe('v1.5.0');
    expect(resolve('main', { openReleases, facts }, A).version).toBe('v1.5.0');
    expect(resolve('main', { openReleases: [open('v1.4.0')], facts })).toEqual({
      version: null,
      because: '"main" is the development branch, and no open release is built from it.',
      candidates: [],
    });
  });

  it('is none without an open release', () => {
    expect(resolve('main')).toEqual({
      version: null,
      because: '"main" is the development branch, and no open release is built from it.',
      candidates: [],
    });
  });

  const several = [open('v1.5.0', A), open('v1.10.0', B), open('v1.9.0', B)];

  it.each([
    ['no commit', null],
    ['a commit that is no candidate', C],
    ['a commit that is the candidate of two', B],
  ])('is none of several with %s, which are listed newest first', (_, commit) => {
    expect(resolve('main', { openReleases: several }, commit)).toEqual({
      version: null,
      because: '"main" is the development branch, and several open releases are built from it. Name the version.',
      candidates: ['v1.10.0', 'v1.9.0', 'v1.5.0'],
    });
  });

  it('is the release whose candidate is the commit, if several are open', () => {
    expect(resolve('main', { openReleases: several }, A)).toEqual({
      version: 'v1.5.0',
      because: 'Of the open releases, only this one has the commit as its candidate.',
    });
  });

  it('is none of several while the branches were never read, because then no release has a known release branch', () => {
    const openReleases = [open('v1.4.0'), open('v1.5.0')];
    expect(resolve('main', { openReleases, facts: new TrackedFacts([]) })).toMatchObject({
      version: null,
      candidates: ['v1.5.0', 'v1.4.0'],
    });
  });

  it('lists at most 50 versions', () => {
    const openReleases = Array.from({ length: 60 }, (_, minor) => open(`v1.${minor}.0`));
    const answer = resolve('main', { openReleases });
    const candidates = 'candidates' in answer ? answer.candidates : [];
    expect([candidates.length, candidates[0], candidates.at(-1)]).toEqual([50, 'v1.59.0', 'v1.10.0']);
  });
});
