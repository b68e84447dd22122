import { describe, expect, it } from '@jest/globals';
import { artifact, CANDIDATE, NOW, requiredArtifact, sha, verifiedBundle } from '../../../test/support/given-facts.js';
import type { RequiredArtifact } from '../policy/policy.js';
import { type Artifact, type ArtifactBundle, artifactBinding } from './artifact.js';
import { type ArtifactEvaluation, evaluateArtifacts } from './required-artifacts.js';

const DIGEST = artifact().digest;
const OTHER = `sha256:${'e'.repeat(64)}`;
const EQUIVALENT = sha('e');
const LATER = new Date(NOW.getTime() + 60_000);
const INVALID: ArtifactBundle = {
  sha256: 'c'.repeat(64),
  status: 'invalid',
  reason: 'No root accepts it.',
  provenance: null,
};
const PENDING: ArtifactBundle = { ...INVALID, status: 'pending', reason: null };

const evaluate = (artifacts: readonly Artifact[], ...required: readonly RequiredArtifact[]): ArtifactEvaluation =>
  evaluateArtifacts(
    artifacts,
    { sha: CANDIDATE, shas: [CANDIDATE, EQUIVALENT] },
    required.length > 0 ? required : [requiredArtifact()],
  );

const codes = ({ results }: ArtifactEvaluation): readonly string[] =>
  results.flatMap(({ conditions }) => conditions.map(({ code }) => code));
const accepted = (evaluation: ArtifactEvaluation): readonly string[] => evaluation.accepted.map(({ digest }) => digest);

const proven = (changes: Partial<Artifact> = {}): Artifact => artifact({ bundles: [verifiedBundle()], ...changes });
const byKey = (changes: Partial<Artifact> = {}): Artifact =>
  artifact({ runId: null, commitSource: 'stated', ...changes });

describe('evaluateArtifacts', () => {
  it.each<[string, readonly Artifact[], RequiredArtifact]>([
    ['a verified provenance', [proven()], requiredArtifact()],
    ['a verified provenance that a key uploaded', [byKey({ bundles: [verifiedBundle()] })], requiredArtifact()],
    [
      'the statement of a run where none is required',
      [artifact()],
      requiredArtifact({ provenance: false, builder: 'any' }),
    ],
    [
      'the required workflow',
      [proven()],
      requiredArtifact({ signerWorkflow: 'acme/payments/.github/workflows/build.yml' }),
    ],
    [
      'a self-hosted runner where any may build',
      [proven({ bundles: [verifiedBundle({ runnerEnvironment: 'self-hosted' })] })],
      requiredArtifact({ builder: 'any' }),
    ],
    [
      'the build of an equivalent commit',
      [proven({ commitSha: EQUIVALENT, bundles: [verifiedBundle({ sourceSha: EQUIVALENT })] })],
      requiredArtifact(),
    ],
    ['the same digest, stated twice', [proven(), proven({ id: 'again', receivedAt: LATER })], requiredArtifact()],
    [
      'one of several bundles by the required workflow',
      [proven({ bundles: [verifiedBundle({ signerWorkflow: 'x/y' }), verifiedBundle()] })],
      requiredArtifact({ signerWorkflow: 'acme/payments/.github/workflows/build.yml' }),
    ],
    [
      'a key without a commit, by the commit of the bundle',
      [byKey({ commitSha: sha('9'), commitSource: 'candidate', bundles: [verifiedBundle()] })],
      requiredArtifact(),
    ],
  ])('accepts %s', (_, artifacts, required) => {
    const evaluation = evaluate(artifacts, required);
    expect([codes(evaluation), accepted(evaluation)]).toEqual([[], [DIGEST]]);
  });

  it.each<[string, readonly Artifact[], RequiredArtifact, string]>([
    ['no artifact', [], requiredArtifact(), 'artifact_missing'],
    ['an artifact of another name', [proven({ name: 'API' })], requiredArtifact(), 'artifact_missing'],
    [
      'an artifact of another commit',
      [proven({ commitSha: sha('9'), bundles: [verifiedBundle({ sourceSha: sha('9') })] })],
      requiredArtifact(),
      'artifact_missing',
    ],
    ['two digests of one run', [proven(), proven({ digest: OTHER })], requiredArtifact(), 'artifact_ambiguous'],
    ['no provenance', [artifact()], requiredArtifact(), 'provenance_missing'],
    [
      'a bundle that is being verified',
      [proven({ bundles: [PENDING, verifiedBundle()] })],
      requiredArtifact(),
      'provenance_missing',
    ],
    [
      'a bundle that is being verified where none is required',
      [artifact({ bundles: [PENDING] })],
      requiredArtifact({ provenance: false }),
      'provenance_missing',
    ],
    ['a key without a verified bundle', [byKey()], requiredArtifact({ provenance: false }), 'provenance_missing'],
    ['an invalid bundle', [artifact({ bundles: [INVALID] })], requiredArtifact(), 'provenance_invalid'],
    [
      'an invalid bundle beside a verified one',
      [proven({ bundles: [INVALID, verifiedBundle()] })],
      requiredArtifact(),
      'provenance_invalid',
    ],
    [
      'an invalid bundle where none is required',
      [artifact({ bundles: [INVALID] })],
      requiredArtifact({ provenance: false }),
      'provenance_invalid',
    ],
    [
      'a bundle of another commit',
      [proven({ bundles: [verifiedBundle({ sourceSha: sha('9') })] })],
      requiredArtifact(),
      'provenance_invalid',
    ],
    [
      'a self-hosted runner',
      [proven({ bundles: [verifiedBundle({ runnerEnvironment: 'self-hosted' })] })],
      requiredArtifact(),
      'provenance_invalid',
    ],
    [
      'a runner that is not known',
      [proven({ bundles: [verifiedBundle({ runnerEnvironment: 'GitHub-hosted' })] })],
      requiredArtifact(),
      'provenance_invalid',
    ],
    [
      'another workflow',
      [proven()],
      requiredArtifact({ signerWorkflow: 'acme/payments/.github/workflows/deploy.yml' }),
      'provenance_invalid',
    ],
    [
      'an invalid bundle of a key, after the run',
      [proven(), byKey({ bundles: [INVALID], receivedAt: LATER })],
      requiredArtifact(),
      'provenance_invalid',
    ],
    [
      'another digest of a key, after the run',
      [proven(), byKey({ digest: OTHER, bundles: [INVALID], receivedAt: LATER })],
      requiredArtifact(),
      'provenance_invalid',
    ],
  ])('rejects %s', (_, artifacts, required, code) => {
    const evaluation = evaluate(artifacts, required);
    expect([codes(evaluation), accepted(evaluation)]).toEqual([[code], []]);
  });

  it('counts the digest of the newest run, whichever arrived last', () => {
    const old = proven({ digest: OTHER, receivedAt: LATER, runId: '99', bundles: [verifiedBundle({ runId: '99' })] });
    expect(accepted(evaluate([proven(), old]))).toEqual([DIGEST]);
    const big = proven({
      digest: OTHER,
      runId: '9007199254740993',
      bundles: [verifiedBundle({ runId: '9007199254740993' })],
    });
    expect(accepted(evaluate([big, proven({ runId: '9007199254740992' })]))).toEqual([OTHER]);
  });

  it('counts the run of the bundle, not the run that uploaded it', () => {
    const republished = proven({ digest: OTHER, runId: '500', bundles: [verifiedBundle({ runId: '99' })] });
    expect(accepted(evaluate([proven(), republished]))).toEqual([DIGEST]);
  });

  it('lets a later run clear what a key or an earlier run stated', () => {
    const bad = byKey({ bundles: [INVALID] });
    const ambiguous = [artifact({ runId: '90' }), artifact({ runId: '90', digest: OTHER })];
    expect(accepted(evaluate([bad, ...ambiguous, proven({ receivedAt: LATER })]))).toEqual([DIGEST]);
  });

  it('keeps the artifact of the own commit if that of an equivalent commit is accepted, too', () => {
    const merged = (changes: Partial<Artifact> = {}): Artifact =>
      artifact({
        commitSha: EQUIVALENT,
        digest: OTHER,
        runId: '200',
        bundles: [verifiedBundle({ sourceSha: EQUIVALENT, runId: '200' })],
        ...changes,
      });
    expect(evaluate([proven(), merged()])).toMatchObject({
      counted: [{ digest: DIGEST }],
      accepted: [{ digest: DIGEST }],
    });
    expect(codes(evaluate([proven(), merged({ bundles: [INVALID] })]))).toEqual(['provenance_invalid']);
  });

  it('accepts a digest only if every requirement of its name does', () => {
    const [one, other] = ['a/b/.github/workflows/x.yml', 'a/b/.github/workflows/y.yml'];
    const required = [one, other].map((signerWorkflow) => requiredArtifact({ signerWorkflow }));
    const evaluation = evaluate([proven({ bundles: [verifiedBundle({ signerWorkflow: one })] })], ...required);
    expect([codes(evaluation), accepted(evaluation)]).toEqual([['provenance_invalid'], []]);
    const both = [verifiedBundle({ signerWorkflow: one }), verifiedBundle({ signerWorkflow: other })];
    expect(accepted(evaluate([proven({ bundles: both })], ...required))).toEqual([DIGEST]);
  });

  it('names the source of the requirement', () => {
    expect(evaluate([], requiredArtifact({ source: 'organization' })).results[0]?.conditions[0]?.source).toBe(
      'organization',
    );
  });

  it('has nothing without a candidate, and counts nothing that the policy does not name', () => {
    expect(codes(evaluateArtifacts([proven()], null, [requiredArtifact()]))).toEqual(['artifact_missing']);
    expect(evaluate([proven(), proven({ name: 'web' })]).counted).toEqual([{ name: 'api', digest: DIGEST }]);
  });
});

describe('artifactBinding', () => {
  it.each<[Partial<Artifact>, string]>([
    [{}, 'run'],
    [{ bundles: [PENDING] }, 'pending'],
    [{ bundles: [INVALID] }, 'run'],
    [{ bundles: [verifiedBundle(), PENDING] }, 'provenance'],
    [{ runId: null }, 'none'],
    [{ runId: null, bundles: [INVALID] }, 'none'],
  ])('of %j is %s', (changes, binding) => {
    expect(artifactBinding(artifact(changes))).toBe(binding);
  });
});
