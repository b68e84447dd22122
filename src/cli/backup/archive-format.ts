import { createHash, createHmac } from 'node:crypto';
import type { Environment } from '../../config/environment.js';
import type { DumpDescription, SequenceValue } from '../../database/dump/database-dump.js';

/** The version of the format. It is raised by every change that an older version cannot read. */
export const FORMAT = 1;

/** The names of the entries of the tar file, in their order. */
export const HEADER_ENTRY = 'backup.json';
export const TABLES_FOLDER = 'tables';
export const FILES_FOLDER = 'files';
export const END_ENTRY = 'end.json';

/** The fingerprint of a secret. It can be compared without the secret. */
interface SecretPrint {
  readonly id: string;
  readonly fingerprint: string;
}

/** The first entry: the content of the backup, and the secrets that the service needs with it. */
export interface ArchiveHeader {
  readonly format: number;
  readonly shipgate: string;
  readonly database: DumpDescription;
  /** Null for a whole backup; the login of the only workspace of an export, which cannot be restored. */
  readonly workspace: string | null;
  /** Where the report files outside the database are: in the archive, or only in their bucket. */
  readonly files: 'included' | 'left out';
  readonly secrets: {
    /** The keys of `ENCRYPTION_KEYS` that the database needs. */
    readonly encryptionKeys: readonly SecretPrint[];
    readonly sessionSecret: string;
    /** The id of the GitHub App, if its credentials come from the environment. */
    readonly appOfEnvironment: number | string | null;
  };
}

/** The number of rows of a table, and the digest of their text. */
export interface TableDigest {
  readonly rows: number;
  readonly sha256: string;
}

/** The last entry. Without it a backup is not complete. */
export interface ArchiveEnd {
  readonly tables: Readonly<Record<string, TableDigest>>;
  readonly files: { readonly count: number; readonly bytes: number };
  /** Files that the bucket did not have, or not with the content of their digest. */
  readonly missingFiles: readonly string[];
  readonly sequences: readonly SequenceValue[];
}

/** Returns the fingerprint of a secret of the environment. The secrets are random, so a fingerprint does not reveal them. */
const fingerprint = (secret: string | Buffer): string =>
  createHmac('sha256', secret).update('shipgate backup').digest('hex').slice(0, 16);

export function toSecrets(
  { encryptionKeys, sessionSecret, app }: Pick<Environment, 'encryptionKeys' | 'sessionSecret' | 'app'>,
  needed: readonly string[],
): ArchiveHeader['secrets'] {
  const lacking = needed.filter((id) => !encryptionKeys.some(({ kid }) => kid === id));
  if (lacking.length > 0) {
    throw new Error(
      `ENCRYPTION_KEYS lacks the key ${lacking.join(', ')}, which the database needs. Run the backup in the environment of the service.`,
    );
  }
  return {
    encryptionKeys: encryptionKeys
      .filter(({ kid }) => needed.includes(kid))
      .map(({ kid, key }) => ({ id: kid, fingerprint: fingerprint(key) })),
    sessionSecret: fingerprint(sessionSecret),
    appOfEnvironment: app?.appId ?? null,
  };
}

/** Returns one sentence for each secret that the backup needs and the environment does not have. */
export function findLackingSecrets(
  { secrets, database }: ArchiveHeader,
  { encryptionKeys, app }: Pick<Environment, 'encryptionKeys' | 'app'>,
): readonly string[] {
  const lacking = secrets.encryptionKeys
    .filter(({ id, fingerprint: expected }) => {
      const found = encryptionKeys.find(({ kid }) => kid === id);
      return found === undefined || fingerprint(found.key) !== expected;
    })
    .map(({ id }) => `ENCRYPTION_KEYS must contain the key ${id} of the time of the backup`);
  if (!database.hasAppCredentials && secrets.appOfEnvironment !== null && app === null) {
    lacking.push(`GITHUB_APP_* must be set to the credentials of the app ${secrets.appOfEnvironment}`);
  }
  return lacking;
}

/** Counts rows and computes the digest of the text of a table. */
export class TableMeter {
  private rows = 0;
  private readonly hash = createHash('sha256');

  add(part: Uint8Array): void {
    this.hash.update(part);
    // In the text format each row ends with a line feed, and no value contains one.
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) this.rows += 1;
  }

  read(): TableDigest {
    return { rows: this.rows, sha256: this.hash.copy().digest('hex') };
  }
}
