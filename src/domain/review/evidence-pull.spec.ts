import { describe, expect, it } from '@jest/globals';
import {
  DEVELOPMENT_HEAD,
  EVIDENCE_FILES,
  PULL_HEAD,
  PULL_NUMBER,
  commit,
  pull,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, ReleaseBuilder } from '../../../test/support/given-release.js';

const number = String(PULL_NUMBER);

describe('the branch of the evidence pull request', () => {
  const head = sha('4');
  const BASE = DEVELOPMENT_HEAD;
  const withCommits = (...commits: readonly ReturnType<typeof commit>[]): ReleaseBuilder =>
    givenOpenRelease()
      .know('pull', number, pull({ headSha: head }))
      .know(
        'comparison',
        `${BASE}...${head}`,
        sameButForEvidence(BASE, { commits: [commit(PULL_HEAD, [sha('5')]), ...commits] }),
      );

  it('may take its base in, and keeps its approvals', () => {
    expect(withCommits(commit(head, [PULL_HEAD, BASE])).reasons()).toEqual([]);
    expect(withCommits(commit(sha('6'), [PULL_HEAD, sha('7')]), commit(head, [sha('6'), BASE])).reasons()).toEqual([]);
  });

  it.each<[string, readonly ReturnType<typeof commit>[]]>([
    ['a commit of somebody else', [commit(head, [PULL_HEAD])]],
    ['a merge of a branch that is not the base', [commit(sha('6'), [BASE]), commit(head, [PULL_HEAD, sha('6')])]],
    ['a commit before a merge', [commit(sha('6'), [PULL_HEAD]), commit(head, [sha('6'), BASE])]],
  ])('is void with %s', (_name, commits) => {
    const world = withCommits(...commits);
    expect(world.reasons()).toEqual(['evidence_pull_altered']);
  });

  it.each([
    ['brings in another file', { files: [...EVIDENCE_FILES, { path: 'src/evil.ts', blobSha: sha('6') }] }],
    ['changes an evidence file', { files: EVIDENCE_FILES.map((file) => ({ ...file, blobSha: sha('6') })) }],
    ['removes an evidence file', { files: EVIDENCE_FILES.slice(1) }],
    ['lists too many files to be read', { filesComplete: false }],
    ['lists too many commits to be read', { commitsComplete: false }],
    ['lost the commit of the service', { commits: [commit(head, [BASE, sha('6')])] }],
  ])('is void where a merge %s', (_name, changes) => {
    const commits = [commit(PULL_HEAD, [sha('5')]), commit(head, [PULL_HEAD, BASE])];
    const world = withCommits().know(
      'comparison',
      `${BASE}...${head}`,
      sameButForEvidence(BASE, { commits, ...changes }),
    );
    expect(world.reasons()).toEqual(['evidence_pull_altered']);
  });

  it('is unknown until it was compared', () => {
    const world = withCommits().forget('comparison', `${BASE}...${head}`);
    expect([world.reasons()[0], world.verdict().missing]).toEqual([
      'unknown',
      [{ kind: 'comparison', key: `${BASE}...${head}` }],
    ]);
  });
});
