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
import { givenOpenRelease, ReleaseBuilder } from '../../../test/support/release-builder.js';

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

  it('can merge its base and retains its approvals', () => {
    expect(withCommits(commit(head, [PULL_HEAD, BASE])).reasons()).toEqual([]);
    expect(withCommits(commit(sha('6'), [PULL_HEAD, sha('7')]), commit(head, [sha('6'), BASE])).reasons()).toEqual([]);
  });

  it.each<[string, readonly ReturnType<typeof commit>[]]>([
    ['a commit of another user', [commit(head, [PULL_HEAD])]],
    ['a merge of a branch that is not the base', [commit(sha('6'), [BASE]), commit(head, [PULL_HEAD, sha('6')])]],
    ['a commit before a merge', [commit(sha('6'), [PULL_HEAD]), commit(head, [sha('6'), BASE])]],
  ])('voids the approval with %s', (_name, commits) => {
    const release = withCommits(...commits);
    expect(release.reasons()).toEqual(['evidence_pull_altered']);
  });

  it.each([
    ['adds another file', { files: [...EVIDENCE_FILES, { path: 'src/evil.ts', blobSha: sha('6') }] }],
    ['changes an evidence file', { files: EVIDENCE_FILES.map((file) => ({ ...file, blobSha: sha('6') })) }],
    ['removes an evidence file', { files: EVIDENCE_FILES.slice(1) }],
    ['has too many files to read', { filesComplete: false }],
    ['has too many commits to read', { commitsComplete: false }],
    ['removes the commit of the service', { commits: [commit(head, [BASE, sha('6')])] }],
  ])('voids the approval when a merge %s', (_name, changes) => {
    const commits = [commit(PULL_HEAD, [sha('5')]), commit(head, [PULL_HEAD, BASE])];
    const release = withCommits().know(
      'comparison',
      `${BASE}...${head}`,
      sameButForEvidence(BASE, { commits, ...changes }),
    );
    expect(release.reasons()).toEqual(['evidence_pull_altered']);
  });

  it('is unknown until the comparison was read', () => {
    const release = withCommits().deleteFact('comparison', `${BASE}...${head}`);
    expect([release.reasons()[0], release.verdict().missing]).toEqual([
      'unknown',
      [{ kind: 'comparison', key: `${BASE}...${head}` }],
    ]);
  });
});
