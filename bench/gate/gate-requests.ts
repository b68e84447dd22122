import { importPKCS8, SignJWT } from 'jose';
import type { RequestSample } from '../measuring/load.js';
import { buildSecret } from './organization-key.js';
import { buildDigest, type Population } from './population.js';
import type { TokenSigner } from './token-issuer.js';

const STAGES = ['DEPLOYMENT', 'EVIDENCING', 'TESTING'] as const;
const SHA = 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15';

/** The requests of a round: random releases of the population, each with the credential of its organization. */
export interface GateSubject {
  readonly population: Population;
  /** Signs the identity token of each organization. Null: the requests have API keys. */
  readonly signer: TokenSigner | null;
  /** The requests name the digest of the release's artifact. */
  readonly withDigest?: boolean;
}

/** Returns the exact answer of the gate for a release of the population. */
const expectedAnswer = (organization: number, repository: number, release: number): string => {
  const kind = (organization + repository + release) % STAGES.length;
  return JSON.stringify({
    version: `v1.${release}.0`,
    current_stage: STAGES[kind],
    evidence_pr_approved: kind === 0,
    tests_passing: kind < 2,
    can_deploy: kind === 0,
  });
};

const pickRandom = (count: number): number => 1 + Math.floor(Math.random() * count);

/** Signs a token with the claims of a run of GitHub Actions that the service reads. It is valid for the whole measurement. */
async function signToken(signer: TokenSigner, organization: number): Promise<string> {
  const claims = {
    jti: `run-of-${organization}`,
    repository: `org-${organization}/service-1`,
    repository_id: String(organization * 1000 + 1),
    repository_owner_id: String(organization),
    sha: SHA,
    ref: 'refs/heads/main',
    run_id: '9876543210',
    run_attempt: '1',
    event_name: 'push',
    workflow: 'Deploy',
    check_run_id: '31415926535',
  };
  return new SignJWT(claims)
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: signer.keyId })
    .setIssuer(signer.url)
    .setAudience('shipgate')
    .setIssuedAt()
    .setExpirationTime('2h')
    .sign(await importPKCS8(signer.privateKey, 'RS256'));
}

/** Returns a function that creates a request for a random release of a random organization with its credential. */
export async function gateRequests({ population, signer, withDigest }: GateSubject): Promise<() => RequestSample> {
  const { organizations, repositories, releases } = population;
  const numbers = Array.from({ length: organizations }, (_, at) => at + 1);
  const credentials =
    signer === null ? numbers.map(buildSecret) : await Promise.all(numbers.map((number) => signToken(signer, number)));
  return () => {
    const organization = pickRandom(organizations);
    const repository = pickRandom(repositories);
    const release = pickRandom(releases);
    const digest = withDigest === true ? `&digest=${buildDigest(organization, repository, release)}` : '';
    return {
      request:
        `GET /api/milestones/check?version=v1.${release}.0&repo=org-${organization}/service-${repository}${digest} HTTP/1.1\r\n` +
        `Host: 127.0.0.1\r\nAuthorization: Bearer ${credentials[organization - 1]}\r\nAccept: application/json\r\n\r\n`,
      status: 'HTTP/1.1 200 OK',
      answer: expectedAnswer(organization, repository, release),
    };
  };
}
