import type { Actor } from '../facts/condition.js';

/** The media type of the signed payload (in-toto attestation framework, envelope). */
export const STATEMENT_PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** The type of the statement (in-toto attestation framework, v1). */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** The type of the predicate: a verification summary (SLSA). */
export const STATEMENT_PREDICATE_TYPE = 'https://slsa.dev/verification_summary/v1';
/** The only level of an open gate. No level of SLSA is claimed. */
export const GATE_LEVEL = 'SHIPGATE_GATE';
const FAILED_LEVEL = 'FAILED';

/** A gate reason as its reader may see it. */
interface StatementReason {
  readonly code: string;
  readonly actor: Actor;
  readonly detail?: string;
  readonly url?: string;
}

/** What a statement says. The same content always gives the same bytes. */
export interface StatementContent {
  /** The address of the service, without a slash at its end. */
  readonly service: string;
  readonly repositoryGithubId: number;
  readonly environment: string;
  /** The candidate; null if there is none. */
  readonly commit: string | null;
  /** The artifact, as `sha256:…`; null if the statement is about the commit alone. */
  readonly digest: string | null;
  readonly isOpen: boolean;
  readonly decisionId: string;
  readonly decidedAt: Date;
  /** How long the gate is open; without effect if it is closed. */
  readonly openUntil: Date;
  /** The digest of the policy of the decision; null if no valid policy was known. */
  readonly policyDigest: string | null;
  /** SHA-256 of the verified provenance bundles, in hexadecimal digits. */
  readonly attestations: readonly string[];
  readonly reasons: readonly StatementReason[];
}

/** Returns the name of the repository's environment in statements. The id of the repository survives its renaming. */
const statementResource = (service: string, repositoryGithubId: number, environment: string): string =>
  `${service}/repositories/${repositoryGithubId}/environments/${encodeURIComponent(environment)}`;

/** Returns the name of our own members of the predicate. */
export const statementExtension = (service: string): string => `${service}/statement/v1`;

/** Returns the payload of a statement. The time until which a closed gate is stated is that of its decision. */
export function buildStatement(content: StatementContent): string {
  const { service, commit, digest, isOpen, decidedAt, policyDigest, reasons } = content;
  const validUntil = isOpen ? content.openUntil : decidedAt;
  return JSON.stringify({
    _type: STATEMENT_TYPE,
    subject: [
      ...(digest === null ? [] : [{ digest: { sha256: digest.replace(/^sha256:/, '') } }]),
      ...(commit === null ? [] : [{ digest: { gitCommit: commit } }]),
    ],
    predicateType: STATEMENT_PREDICATE_TYPE,
    predicate: {
      verifier: { id: service },
      timeVerified: decidedAt.toISOString(),
      resourceUri: statementResource(service, content.repositoryGithubId, content.environment),
      policy: {
        uri: `${service}/repositories/${content.repositoryGithubId}/policy`,
        ...(policyDigest !== null && { digest: { sha256: policyDigest } }),
      },
      inputAttestations: content.attestations.map((sha256) => ({ digest: { sha256 } })),
      verificationResult: isOpen ? 'PASSED' : 'FAILED',
      verifiedLevels: [isOpen ? GATE_LEVEL : FAILED_LEVEL],
      [statementExtension(service)]: {
        decisionId: content.decisionId,
        validUntil: validUntil.toISOString(),
        ...(reasons.length > 0 && { reasons }),
      },
    },
  });
}
