import { describe, expect, it } from '@jest/globals';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity } from '@sigstore/verify';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toProvenance } from '../domain/artifact/provenance.js';
import { verifyBundle } from './provenance-bundle.js';
import { builtInRoots, readTrustedRoots } from './trusted-root.js';

/**
 * The bundles of the conformance suite of Sigstore (https://github.com/sigstore/sigstore-conformance, `test/assets/bundle-verify`), from the
 * folder that `SIGSTORE_CASES` names. A bundle whose folder ends in `_fail` must be rejected.
 */
const cases = process.env['SIGSTORE_CASES'];

const MANAGED_KEY = 'Only a certificate states the identity of a build, so a bundle that a key signed is rejected.';

/** The cases in which the result differs from that of the suite, with the reason. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'managed-key-and-trusted-root': MANAGED_KEY,
  'managed-key-happy-path': MANAGED_KEY,
  'rekor2-dsse-happy-path':
    'The library does not read the entry "hashedrekord" 0.0.2 of an envelope, so it rejects a valid bundle.',
};

function isAccepted(folder: string): boolean {
  const own = join(folder, 'trusted_root.json');
  try {
    const [root] = existsSync(own) ? readTrustedRoots(own) : builtInRoots();
    const bundle = bundleFromJSON(JSON.parse(readFileSync(join(folder, 'bundle.sigstore.json'), 'utf8')));
    const artifact = [join(folder, 'artifact'), join(folder, '..', 'a.txt')].find((file) => existsSync(file));
    root?.verifier.verify(toSignedEntity(bundle, artifact === undefined ? undefined : readFileSync(artifact)));
    return root !== undefined;
  } catch {
    return false;
  }
}

const folders =
  cases === undefined ? [] : readdirSync(cases, { withFileTypes: true }).filter((entry) => entry.isDirectory());

// Jest shows the tests as skipped if the environment does not name their folder.
const describeCases = cases === undefined ? describe.skip : describe;

describeCases('the conformance suite of Sigstore, in SIGSTORE_CASES', () => {
  it.each(folders.length === 0 ? ['none'] : folders.map(({ name }) => name))('%s', (name) => {
    const expected = !name.endsWith('_fail');
    expect(isAccepted(join(cases ?? '', name))).toBe(name in DIFFERENCES ? !expected : expected);
  });
});

/** Real bundles of GitHub Actions, from the folder that `ATTESTATION_CASES` names. */
const attestations = process.env['ATTESTATION_CASES'];
const describeAttestations = attestations === undefined ? describe.skip : describe;

describeAttestations('real attestations, in ATTESTATION_CASES', () => {
  const verify = (file: string, digest: string) =>
    verifyBundle(readFileSync(join(attestations ?? '', file)), digest, builtInRoots());
  const DIGEST = 'sha256:49a3aa6075e0f49f82843e74b5baa614ad2a588e6675612bf108a0a008c5ac25';

  it('of a reusable workflow have its repository as signer, and the repository of the caller as source', () => {
    const result = verify('reusable-workflow-attestation.sigstore.json', DIGEST);
    const identity = result.status === 'verified' ? result.identity : null;
    expect(identity).toMatchObject({
      issuer: 'https://token.actions.githubusercontent.com',
      runnerEnvironment: 'github-hosted',
    });
    expect(identity && toProvenance(identity)?.signerWorkflow).toMatch(/\/\.github\/workflows\//);
    const [, source] = /^https:\/\/github\.com\/([^/]+\/[^/]+)\//.exec(identity?.runUri ?? '') ?? [];
    expect(identity?.buildSigner).not.toContain(`/${source}/`);
  });

  it('are rejected for another digest, and with an invalid signature', () => {
    expect(verify('reusable-workflow-attestation.sigstore.json', `sha256:${'0'.repeat(64)}`).status).toBe('invalid');
    expect(verify('sigstoreBundle-invalid-signature.json', DIGEST).status).toBe('invalid');
  });
});
