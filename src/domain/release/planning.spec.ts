import { describe, expect, it } from '@jest/globals';
import { PLAIN_POLICY, issue, milestone, evidenceItem, policyWith, sha } from '../../../test/support/given-facts.js';
import { ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { Policy } from '../policy/policy.js';

const planned = (planning: Policy['planning'] = PLAIN_POLICY.planning): ReleaseBuilder =>
  new ReleaseBuilder()
    .ruledBy(policyWith({ planning }))
    .recorded({ startedAt: null, stage: 'PLANNING' })
    .know('milestone', '5', milestone())
    .know('issues', '5', [])
    .branches({ branch: 'main', sha: sha('d') });
const codes = (release: ReleaseBuilder): readonly string[] => {
  const { stage, unmet } = release.verdict();
  return stage === 'PLANNING' ? unmet.map(({ code }) => code) : [];
};
const flags = { requireIssues: true, requireIssuesAssigned: true };

describe('planning', () => {
  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder]>([
    ['it has a start time', (release) => release.recorded({ startedAt: new Date(0) })],
    ['it has a branch', (release) => release.branches({ branch: 'release/v1.2.0', sha: sha('c') })],
    ['it has evidence', (release) => release.uploaded(evidenceItem({ commitSha: sha('8') }))],
    [
      'a pull request is linked to an issue',
      (release) =>
        release
          .know('issues', '5', [issue({ number: 1 }), issue({ number: 2 })])
          .know('pulls_of_issue', '2', { linked: true }),
    ],
  ])('ends when %s', (_name, begin) => {
    expect(codes(planned())).toEqual(['not_started']);
    expect(codes(begin(planned()))).toEqual([]);
  });

  it('continues while no pull request is linked, or while that is not known', () => {
    const release = planned().know('issues', '5', [issue({ number: 1 }), issue({ number: 2 })]);
    expect(codes(release)).toEqual(['unknown']);
    expect(codes(release.know('pulls_of_issue', '1', { linked: false }))).toEqual(['unknown']);
    expect(codes(release.know('pulls_of_issue', '2', { linked: false }))).toEqual(['not_started']);
  });

  it('reads the pull requests of at most twenty issues', () => {
    const release = planned().know(
      'issues',
      '5',
      Array.from({ length: 21 }, (_, index) => issue({ number: index + 1 })),
    );
    expect(release.verdict().missing.filter(({ kind }) => kind === 'pulls_of_issue')).toHaveLength(20);
  });

  it('requires a scope and owners if the policy does', () => {
    const release = planned(flags).recorded({ startedAt: new Date(0) });
    expect(codes(release)).toEqual(['scope_empty']);
    const unowned = issue({ state: 'open', assignees: [] });
    expect(codes(release.know('issues', '5', [unowned, issue({ state: 'open' })]))).toEqual(['issue_unowned']);
    expect(codes(release.know('issues', '5', [issue({ assignees: [] })]))).toEqual([]);
    expect(
      codes(
        planned()
          .recorded({ startedAt: new Date(0) })
          .know('issues', '5', [unowned]),
      ),
    ).toEqual([]);
  });

  it('does not end while the scope is not known', () => {
    expect(
      codes(
        planned()
          .recorded({ startedAt: new Date(0) })
          .deleteFact('issues', '5'),
      ),
    ).toEqual(['unknown']);
  });
});
