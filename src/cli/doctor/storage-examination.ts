import type { Environment } from '../../config/environment.js';
import { locationWithin } from '../../config/storage-location.js';
import { ObjectStore } from '../../features/evidence/storage/object-store.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { createLogger } from '../../observability/logger.js';
import { type Finding, Findings, sentenceOf } from './finding.js';

const REMEDY =
  "Look at STORAGE_URL and at the credentials of AWS's environment: they need s3:PutObject and s3:GetObject below the " +
  'prefix, and s3:ListBucket.';

/** Whether report files can be read where they are kept. To look must change nothing, so none is written. */
export async function examineStorage({ storage }: Pick<Environment, 'storage'>): Promise<readonly Finding[]> {
  const findings = new Findings('report files');
  if (storage === null) return [findings.ok('they are kept in the database')];
  const { bucket, endpoint } = storage;
  const place = `the bucket ${bucket}${endpoint === null ? '' : ` of ${endpoint}`}`;
  const objects = new ObjectStore(createLogger('silent'));
  try {
    // No workspace has such a name, so nothing is there: which only those are told who may read.
    await objects.read(locationWithin(storage, 'doctor', 'nothing'));
    return [findings.ok(`${place} answers, and may be read`)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [findings.fail(`${place} cannot be used: ${sentenceOf(error.cause)}`, REMEDY)];
  } finally {
    await objects.onApplicationShutdown();
  }
}
