import { Clock } from '../clock/clock.js';
import type { Database } from '../database/database.js';
import type { KeyScope } from '../domain/keys/key-scope.js';
import { Keys } from '../features/keys/keys.service.js';
import { KeysRepository } from '../features/keys/keys.repository.js';
import { InstallationReader } from '../features/sync/installation.reader.js';

export interface KeyRequest {
  readonly org: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** Days until it expires; null never does. */
  readonly days: number | null;
}

const DAY_MS = 86_400_000;

/** Makes an API key for an organization that the app is installed for, and answers its secret. */
export async function createKey(database: Database, { org, name, scopes, days }: KeyRequest): Promise<string> {
  const installed = await new InstallationReader(database).list();
  const organization = installed.find(({ login }) => login.toLowerCase() === org.toLowerCase());
  if (!organization) throw new Error(`The app is not installed for an organization called "${org}".`);
  const clock = new Clock();
  const keys = new Keys(database, new KeysRepository(), clock);
  const expiresAt = days === null ? null : new Date(clock.now().getTime() + days * DAY_MS);
  const wanted = { name, scopes, repositoryIds: null, expiresAt, createdBy: 'command line' };
  return (await keys.create(organization.orgId, wanted)).secret;
}
