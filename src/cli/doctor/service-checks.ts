import { discoverJwksUri, readIssuerDocument } from '../../auth/oidc/issuer-discovery.js';
import type { AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { objectUrl } from '../../config/value-parsers.js';
import { EncryptionService, DecryptionError } from '../../crypto/encryption.service.js';
import type { Database } from '../../database/database.js';
import { ObjectStore } from '../../features/evidence/storage/s3-report-store.js';
import { AppConfigurationRepository } from '../../features/setup/app-configuration.repository.js';
import { decryptCredentials } from '../../features/setup/app-credentials.service.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { networkTest } from '../../http/open-connections.js';
import { UntrustedForwarderRepository } from '../../http/rate-limit/untrusted-forwarders.js';
import { createLogger } from '../../observability/logger.js';
import { type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';

const credentials = new CheckResults('app credentials');
const keys = new CheckResults('encryption keys');

/** Whether the keys that are given open all that is kept. */
export async function checkEncryptionKeys(
  database: Database,
  { encryptionKeys }: Environment,
): Promise<readonly CheckResult[]> {
  const needed = await new AppConfigurationRepository(database).listSealingKeys();
  const given = encryptionKeys.map(({ kid }) => kid);
  const missing = needed.filter((kid) => !given.includes(kid));
  if (missing.length > 0) {
    const remedy = 'Add it to ENCRYPTION_KEYS again, behind the first: what it sealed opens with it alone.';
    return missing.map((kid) => keys.fail(`something is sealed with the key ${kid}, which is not given`, remedy));
  }
  const retired = given.slice(1).filter((kid) => !needed.includes(kid));
  return [
    keys.ok(`${given[0]} seals, and all that is kept opens`),
    ...retired.map((kid) => keys.ok(`${kid} is needed no more, and may be taken out of ENCRYPTION_KEYS`)),
  ];
}

/** The credentials that the service works with, or why it has none. */
export async function findCredentials(
  database: Database,
  environment: Environment,
): Promise<AppCredentials | CheckResult> {
  if (environment.app !== null) return environment.app;
  const sealed = await new AppConfigurationRepository(database).find();
  if (sealed === null) return credentials.fail('no GitHub App is set up', 'Run "npm run setup".');
  try {
    return decryptCredentials(new EncryptionService(environment), sealed);
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    return credentials.fail(error.message, 'Give ENCRYPTION_KEYS the keys that the set-up was done with.');
  }
}

const ISSUER_REMEDY =
  'OIDC_ISSUER must be the issuer of the identity tokens, character by character: on a GitHub Enterprise Server ' +
  'https://<host>/_services/token.';

/** Whether identity tokens of CI runs can be checked: by the issuer's own discovery document and keys. */
export async function examineIssuer({ oidcIssuer, oidcAudience }: Environment): Promise<readonly CheckResult[]> {
  const findings = new CheckResults('identity tokens');
  try {
    const jwks = (await readIssuerDocument(await discoverJwksUri(oidcIssuer))) as { readonly keys?: unknown } | null;
    const count = Array.isArray(jwks?.keys) ? jwks.keys.length : 0;
    if (count === 0) return [findings.fail(`${oidcIssuer} shows no keys`, ISSUER_REMEDY)];
    return [findings.ok(`${oidcIssuer} shows ${count} keys; runs ask for the audience "${oidcAudience}"`)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // What the service hides from its callers its operator has to know.
    const reason = error.cause === undefined ? error.message : rootCauseMessage(error.cause);
    return [findings.fail(`${oidcIssuer} cannot be used: ${reason}`, ISSUER_REMEDY)];
  }
}

const STORAGE_REMEDY =
  "Look at STORAGE_URL and at the credentials of AWS's environment: they need s3:PutObject and s3:GetObject below the " +
  'prefix, and s3:ListBucket.';

/** Whether report files can be read where they are kept. To look must change nothing, so none is written. */
export async function examineStorage({ storage }: Pick<Environment, 'storage'>): Promise<readonly CheckResult[]> {
  const findings = new CheckResults('report files');
  if (storage === null) return [findings.ok('they are kept in the database')];
  const { bucket, endpoint } = storage;
  const place = `the bucket ${bucket}${endpoint === null ? '' : ` of ${endpoint}`}`;
  const objects = new ObjectStore(createLogger('silent'));
  try {
    // No workspace has such a name, so nothing is there: which only those are told who may read.
    await objects.read(objectUrl(storage, 'doctor', 'nothing'));
    return [findings.ok(`${place} answers, and may be read`)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [findings.fail(`${place} cannot be used: ${rootCauseMessage(error.cause)}`, STORAGE_REMEDY)];
  } finally {
    await objects.onApplicationShutdown();
  }
}

const DAY_MS = 86_400_000;

const proxies = new CheckResults('proxies');

/** Whether the proxy in front is one whose word counts: else everybody behind it shares the limits of one client. */
export async function examineProxies(
  database: Database,
  { trustedProxies }: Environment,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  const seen = await new UntrustedForwarderRepository(database).find();
  if (
    seen === null ||
    clock.now().getTime() - seen.seenAt.getTime() > DAY_MS ||
    networkTest(trustedProxies)(seen.address)
  ) {
    return [proxies.ok('no untrusted address has sent forwarding headers of late')];
  }
  return [
    proxies.warn(
      `${seen.address} sends forwarding headers and is not trusted, last at ${seen.seenAt.toISOString()}`,
      'If it is your proxy, name it in TRUSTED_PROXIES: its clients share the limits of one until then. Else let it be.',
    ),
  ];
}
