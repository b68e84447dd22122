import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  altered,
  createBundle,
  createSigstoreInstance,
  type BundleOptions,
  type SigstoreInstance,
  toStatement,
} from '../../test/support/sigstore-instance.js';
import { verifyBundle, type BundleResult } from './provenance-bundle.js';
import { builtInRoots, parseTrustedRoot, type TrustRoot } from './trusted-root.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

let instance: SigstoreInstance;
let github: SigstoreInstance;
let foreign: SigstoreInstance;
let roots: readonly TrustRoot[];

beforeAll(async () => {
  instance = await createSigstoreInstance('public');
  github = await createSigstoreInstance('private');
  foreign = await createSigstoreInstance('public');
  roots = [parseTrustedRoot('public', instance.trustedRoot), parseTrustedRoot('private', github.trustedRoot)];
});

const verify = (bundle: object | string, digest = DIGEST, against = roots): BundleResult =>
  verifyBundle(Buffer.from(typeof bundle === 'string' ? bundle : JSON.stringify(bundle)), digest, against);

const reasonOf = (result: BundleResult): string => (result.status === 'invalid' ? result.reason : 'verified');

describe('verifyBundle', () => {
  it.each(['public', 'private'] as const)(
    'accepts a bundle of an instance that is %s and reads its identity',
    async (kind) => {
      const bundle = await createBundle(kind === 'public' ? instance : github);
      expect(verify(bundle)).toEqual({
        status: 'verified',
        identity: {
          issuer: 'https://token.actions.githubusercontent.com',
          buildSigner: 'https://github.com/acme/payments/.github/workflows/build.yml@refs/heads/main',
          runnerEnvironment: 'github-hosted',
          sourceSha: 'c'.repeat(40),
          repositoryId: '4711',
          trigger: 'push',
          runUri: 'https://github.com/acme/payments/actions/runs/100/attempts/1',
        },
      });
    },
  );

  it('accepts a digest that is one of several subjects, and no other digest', async () => {
    const subject = [OTHER, DIGEST].map((digest) => ({ name: 'x', digest: { sha256: digest.slice(7) } }));
    const bundle = await createBundle(instance, { statement: { ...toStatement(DIGEST), subject } });
    expect(verify(bundle).status).toBe('verified');
    expect(reasonOf(verify(bundle, `sha256:${'d'.repeat(64)}`))).toContain('among its subjects');
  });

  it.each<[string, BundleOptions, string]>([
    ['another digest', { digest: OTHER }, 'among its subjects'],
    ['no subjects', { statement: { ...toStatement(DIGEST), subject: undefined } }, 'among its subjects'],
    [
      'a digest of another algorithm',
      { statement: { ...toStatement(DIGEST), subject: [{ digest: { sha512: 'a'.repeat(64) } }] } },
      'among its subjects',
    ],
    [
      'another predicate type',
      { statement: { ...toStatement(DIGEST), predicateType: 'https://slsa.dev/provenance/v0.2' } },
      'predicate type',
    ],
    [
      'an older statement',
      { statement: { ...toStatement(DIGEST), _type: 'https://in-toto.io/Statement/v0.1' } },
      'not of the type',
    ],
    ['a statement that is not JSON', { statement: 'text' }, 'not JSON'],
    ['a statement that is null', { statement: 'null' }, 'not of the type'],
    ['another payload', { payloadType: 'text/plain' }, 'no in-toto statement'],
    ['no issuer', { extensions: { 8: null } }, '57264.1.8'],
    ['no signer', { extensions: { 9: null } }, '57264.1.9'],
    ['no runner', { extensions: { 11: null } }, '57264.1.11'],
    ['no commit', { extensions: { 13: null } }, '57264.1.13'],
    ['no repository id', { extensions: { 15: null } }, '57264.1.15'],
    ['no trigger', { extensions: { 20: null } }, '57264.1.20'],
    ['no run', { extensions: { 21: null } }, '57264.1.21'],
    ['an empty repository id', { extensions: { 15: '' } }, '57264.1.15'],
    ['a repository id with a line break', { extensions: { 15: '4711\n' } }, '57264.1.15'],
    ['an extension that is no UTF8String', { legacy: [15] }, '57264.1.15'],
    ['an extension that occurs twice', { twice: [15] }, '57264.1.15'],
    ['an expired certificate', { issuedAt: new Date(Date.now() - 3_600_000) }, 'No trusted root accepts it'],
    ['a certificate of later', { issuedAt: new Date(Date.now() + 3_600_000) }, 'No trusted root accepts it'],
  ])('rejects a bundle with %s', async (_, options, reason) => {
    expect(reasonOf(verify(await createBundle(instance, options)))).toContain(reason);
  });

  it.each(['public', 'private'] as const)(
    'rejects a bundle of an instance that is %s and has no trusted root',
    async (kind) => {
      const bundle = await createBundle(kind === 'public' ? instance : github);
      expect(
        reasonOf(verify(bundle, DIGEST, [parseTrustedRoot('foreign', foreign.trustedRoot), ...builtInRoots()])),
      ).toMatch(/^No trusted root accepts it\. foreign: .*; public-good: .*; github: /);
      expect(verify(bundle, DIGEST, []).status).toBe('invalid');
    },
  );

  it('does not lower the thresholds of a root with logs for a root without', async () => {
    const bundle = altered(await createBundle(instance), (copy) => (copy.verificationMaterial.tlogEntries = []));
    expect(reasonOf(verify(bundle))).toContain('No trusted root accepts it');
    // A bundle with the timestamp of one instance and the certificate of the other.
    const stamped = await createBundle(github);
    const mixed = altered(stamped, (copy) => {
      copy.verificationMaterial.certificate = (bundle as typeof copy).verificationMaterial.certificate!;
    });
    expect(reasonOf(verify(mixed))).toContain('No trusted root accepts it');
  });

  it('rejects a bundle without its timestamp', async () => {
    const bundle = altered(await createBundle(github), (copy) => {
      copy.verificationMaterial.timestampVerificationData.rfc3161Timestamps = [];
    });
    expect(reasonOf(verify(bundle))).toContain('No trusted root accepts it');
  });

  it('rejects a bundle whose statement was altered', async () => {
    const bundle = altered(await createBundle(instance, { digest: OTHER }), (copy) => {
      copy.dsseEnvelope.payload = Buffer.from(JSON.stringify(toStatement(DIGEST))).toString('base64');
    });
    expect(reasonOf(verify(bundle))).toContain('No trusted root accepts it');
  });

  it('rejects a bundle whose signature was broken', async () => {
    const bundle = altered(await createBundle(instance), ({ dsseEnvelope: { signatures } }) => {
      const [first] = signatures;
      if (first) first.sig = `${first.sig.startsWith('A') ? 'B' : 'A'}${first.sig.slice(1)}`;
    });
    expect(reasonOf(verify(bundle))).toContain('No trusted root accepts it');
  });

  it('rejects a bundle with the certificate of another one', async () => {
    const [own, others] = [await createBundle(instance), await createBundle(instance, { extensions: { 15: '1' } })];
    const bundle = altered(own, ({ verificationMaterial }) => {
      verificationMaterial.certificate = (
        others as { verificationMaterial: typeof verificationMaterial }
      ).verificationMaterial.certificate!;
    });
    expect(reasonOf(verify(bundle))).toContain('No trusted root accepts it');
  });

  it('rejects a bundle that a public key signed', async () => {
    const bundle = altered(await createBundle(instance), ({ verificationMaterial }) => {
      delete verificationMaterial.certificate;
      Object.assign(verificationMaterial, { publicKey: { hint: 'x' } });
    });
    expect(reasonOf(verify(bundle))).toContain('not signed with a certificate');
  });

  it.each(['', 'null', '[]', '{}', '{"mediaType":"application/vnd.dev.sigstore.bundle.v9+json"}', '\uFEFF{}'])(
    'rejects %j, which is not a bundle',
    (text) => {
      expect(reasonOf(verify(text))).toContain('not a Sigstore bundle');
    },
  );
});
