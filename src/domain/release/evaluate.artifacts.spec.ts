import { describe, expect, it } from '@jest/globals';
import { artifact, requiredArtifact, STRICT_POLICY, verifiedBundle } from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import { replay, toStoredInputs, toStoredVerdict, type StoredInputs } from './replay.js';

const DIGEST = artifact().digest;
const OTHER = `sha256:${'e'.repeat(64)}`;

/** Returns a release with an artifact and an approval of its evidence. */
function givenRelease(...artifacts: NonNullable<ReleaseBuilder['artifacts']>): ReleaseBuilder {
  const release = givenOpenRelease().ruledBy({
    ...STRICT_POLICY,
    testing: { ...STRICT_POLICY.testing, requiredArtifacts: [requiredArtifact()] },
  });
  release.artifacts = artifacts;
  return release;
}

/** Publishes the present set in the evidence pull request, which two users have approved. */
function approve(release: ReleaseBuilder): ReleaseBuilder {
  const { record } = release;
  const setDigest = release.verdict().setDigest;
  if (record.evidencePull)
    release.record = { ...record, evidencePull: { ...record.evidencePull, setDigest: setDigest ?? '' } };
  return release;
}

describe('a release with a required artifact', () => {
  it('is open with the artifact that was approved', () => {
    const release = approve(givenRelease(artifact({ bundles: [verifiedBundle()] })));
    expect([release.isOpen(), release.verdict().artifacts]).toEqual([true, [{ name: 'api', digest: DIGEST }]]);
  });

  it('stays in TESTING without the artifact, although its tests pass', () => {
    const { stage, unmet, testsPassing, artifacts, gate } = givenRelease().verdict();
    expect([stage, unmet.map(({ code }) => code), testsPassing, artifacts, gate.openUntil]).toEqual([
      'TESTING',
      ['artifact_missing'],
      true,
      [],
      null,
    ]);
  });

  it('is closed if its artifacts were not loaded', () => {
    const release = givenRelease();
    release.artifacts = null;
    expect([release.isOpen(), release.verdict().artifacts]).toEqual([false, []]);
  });

  it('loses its approval with another digest, and not with an artifact that the policy does not name', () => {
    const release = approve(givenRelease(artifact({ bundles: [verifiedBundle()] })));
    release.artifacts = [...(release.artifacts ?? []), artifact({ name: 'web' })];
    expect(release.isOpen()).toBe(true);
    release.artifacts = [artifact({ digest: OTHER, runId: '101', bundles: [verifiedBundle({ runId: '101' })] })];
    const { stage, gate } = release.verdict();
    expect([stage, gate.openUntil]).toEqual(['EVIDENCING', null]);
  });

  it('replays', () => {
    const release = approve(givenRelease(artifact({ bundles: [verifiedBundle()] })));
    const inputs = release.inputs();
    const stored = JSON.parse(JSON.stringify(toStoredInputs(inputs))) as StoredInputs;
    const verdict = JSON.parse(JSON.stringify(toStoredVerdict(release.verdict()))) as object;
    expect(replay(stored, verdict, inputs.digest)).toMatchObject({ agrees: true, differences: [] });
  });
});

describe('a release without required artifacts', () => {
  it('has the verdict and the digest from before they existed', () => {
    const release = givenOpenRelease();
    const before = release.verdict();
    release.artifacts = [artifact(), artifact({ digest: OTHER })];
    expect(release.verdict()).toEqual(before);
    expect(Object.keys(before)).not.toContain('artifacts');
  });
});
