import { describe, expect, it } from '@jest/globals';
import { assert, property } from 'fast-check';
import { valid as givenValidPolicy } from '../../../../test/support/given-facts.js';
import { hostileText } from '../../../../test/support/hostile-text.js';
import { outsideCode } from '../../../../test/support/rendered-markdown.js';
import { DEFAULT_POLICY, type PolicyState } from '../../../domain/policy/policy.js';
import type { ChangeAnalysis, PolicyPreview } from '../../../domain/repository/merge-check.js';
import { buildMergeCheckReport } from './merge-check-report.js';

const CI = '.github/workflows/shipgate-ci.yml';
const nothing: ChangeAnalysis = { pullNumber: 1, foreign: [], installed: [], policy: null, releases: [] };
const valid = givenValidPolicy(DEFAULT_POLICY);
const preview = (changes: Partial<PolicyPreview> = {}): PolicyPreview => ({
  version: 'v1.0.0',
  stage: 'DEPLOYMENT',
  proposedStage: 'TESTING',
  opens: false,
  closes: true,
  newlyUnmet: [{ code: 'check_missing', detail: 'The check "e2e" is missing.', actor: 'ci' }],
  unknownFacts: 0,
  ...changes,
});
const withPolicy = (state: PolicyState, previews: readonly PolicyPreview[] = [], heldOnlyOn: string | null = null) =>
  buildMergeCheckReport([{ ...nothing, policy: { state, previews, heldOnlyOn } }]);
const problem = (message: string) => ({ line: 4, column: 3, key: 'stages.testing', message });

describe('the report of the check', () => {
  it('succeeds without findings', () => {
    expect(buildMergeCheckReport([nothing])).toMatchObject({
      conclusion: 'success',
      title: 'Part of no release',
      summary: { text: expect.stringContaining('the scope of no active release') },
    });
  });

  it('fails for a managed file of another author, not for one of Shipgate', () => {
    const foreign = buildMergeCheckReport([{ ...nothing, foreign: [CI] }]);
    expect([foreign.conclusion, foreign.title]).toEqual(['failure', 'A managed workflow file is changed']);
    expect(buildMergeCheckReport([{ ...nothing, installed: [CI] }]).conclusion).toBe('success');
  });

  it('fails if any of several changes fails', () => {
    const bad: ChangeAnalysis = { ...nothing, pullNumber: 2, foreign: [CI] };
    for (const findings of [
      [nothing, bad],
      [bad, nothing],
    ]) {
      const { conclusion, summary } = buildMergeCheckReport(findings);
      expect(conclusion).toBe('failure');
      expect(summary.text).toContain('### Pull request #2');
    }
    expect(buildMergeCheckReport([nothing, { ...bad, pullNumber: null }]).summary.text).toContain('### Merge group');
  });

  it('fails if the policy is invalid or removed, and not if it is valid', () => {
    const invalid = withPolicy({ status: 'invalid', problems: [problem('wrong')], defaultBranch: 'main' });
    expect(invalid.conclusion).toBe('failure');
    expect(invalid.summary.text).toContain('line 4, stages.testing: wrong');
    expect(withPolicy({ status: 'missing', defaultBranch: 'main' }).conclusion).toBe('failure');
    expect(withPolicy(valid).conclusion).toBe('success');
    expect(withPolicy(valid, [], 'main').summary.text).toContain('Only the version on `main` applies.');
  });

  it('names the releases that the proposed policy would block', () => {
    const { conclusion, summary } = withPolicy(valid, [preview()]);
    expect(conclusion).toBe('success');
    expect(summary.text).toContain('**`v1.0.0`** would go from `DEPLOYMENT` to `TESTING`, and its gate would close.');
    expect(summary.text).toContain('It would lack: `The check "e2e" is missing.`');
    const opened = withPolicy(valid, [preview({ proposedStage: 'DEPLOYMENT', opens: true, closes: false })]).summary
      .text;
    expect(opened).toContain('stays in `DEPLOYMENT`, and its gate would open.');
    expect(withPolicy(valid, [preview({ unknownFacts: 2 })]).summary.text).toContain('are known yet');
  });

  it('states how much it omits, within the limit of GitHub', () => {
    const many = Array.from({ length: 25 }, () => preview());
    expect(withPolicy(valid, many).summary.text).toContain('and 5 more');
    const findings = Array.from({ length: 300 }, (_, at) => ({
      ...nothing,
      pullNumber: at + 1,
      foreign: ['構'.repeat(100), CI],
    }));
    const { text } = buildMergeCheckReport(findings).summary;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_535);
    expect(text).toMatch(/^### Pull request #1\n[^]+\n\n… The rest is longer than GitHub accepts here\.$/);
  });

  it('escapes the text of a change', () => {
    const written = (text: string): string => {
      const finding = { ...nothing, foreign: [text], installed: [text], releases: [] };
      const releases = [{ version: text, stage: 'TESTING' as const, byMilestone: true, issues: [4] }];
      const previews = [preview({ version: text, newlyUnmet: [{ code: 'check_missing', detail: text, actor: 'ci' }] })];
      return buildMergeCheckReport([
        { ...finding, policy: { state: valid, previews, heldOnlyOn: null } },
        { ...finding, releases, policy: { state: valid, previews: [], heldOnlyOn: text } },
        {
          ...finding,
          policy: {
            state: { status: 'invalid', problems: [{ ...problem(text), key: text }], defaultBranch: 'main' },
            previews: [],
            heldOnlyOn: null,
          },
        },
      ]).summary.text;
    };
    const structure = outsideCode(written('x'));
    assert(
      property(hostileText(), (text) => {
        expect(outsideCode(written(`x${text}`))).toBe(structure);
      }),
    );
  });
});
