import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Environment } from '../../config/environment.js';
import { objectUrl } from '../../config/value-parsers.js';
import {
  assertKnownMigrations,
  type RestoredContent,
  RestoredDatabase,
} from '../../database/dump/restored-database.js';
import { toOrgId } from '../../database/ids.js';
import { DatabaseReportStore } from '../../features/evidence/storage/report-store.js';
import type { ObjectStore } from '../../features/evidence/storage/s3-report-store.js';
import { toBlocks } from '../../http/body/byte-blocks.js';
import { type ArchiveEnd, type ArchiveHeader, findLackingSecrets, TableMeter } from './archive-format.js';
import { type ArchivePart, readArchive } from './read-archive.js';

/** The first and the last entry of an archive. */
export interface ArchiveSummary {
  readonly header: ArchiveHeader;
  readonly end: ArchiveEnd;
}

/** Compares the content that was read with the digests and counts in the archive. */
class ArchiveMeter {
  private readonly tables = new Map<string, TableMeter>();
  private files = 0;
  private bytes = 0;

  /** Throws if the content of a file or a table differs from its digest. */
  add(part: ArchivePart): void {
    if (part.kind === 'rows') {
      const meter = this.tables.get(part.table) ?? new TableMeter();
      this.tables.set(part.table, meter);
      meter.add(part.content);
    } else if (part.kind === 'file') {
      this.files += 1;
      this.bytes += part.content.length;
      if (createHash('sha256').update(part.content).digest('hex') !== part.sha256) {
        throw new Error(`The backup is damaged: the report file ${part.sha256} has another content.`);
      }
    } else this.compare(part.end);
  }

  private compare({ tables, files }: ArchiveEnd): void {
    for (const name of new Set([...Object.keys(tables), ...this.tables.keys()])) {
      const found = (this.tables.get(name) ?? new TableMeter()).read();
      if (found.sha256 !== tables[name]?.sha256 || found.rows !== tables[name].rows) {
        throw new Error(`The backup is damaged: the rows of ${name} are not those that were written.`);
      }
    }
    if (files.count !== this.files || files.bytes !== this.bytes) {
      throw new Error(`The backup is damaged: it has ${this.files} report files instead of ${files.count}.`);
    }
  }
}

/** Reads a whole archive and compares its digests. Restores nothing. */
export async function checkArchive(archive: Readable, identities: readonly string[]): Promise<ArchiveSummary> {
  const parts = readArchive(archive, identities);
  const header = await nextHeader(parts);
  const meter = new ArchiveMeter();
  let end: ArchiveEnd | null = null;
  for await (const part of parts) {
    if (part.kind === 'header') continue;
    meter.add(part);
    if (part.kind === 'end') ({ end } = part);
  }
  if (end === null) throw new Error('The backup has no end.');
  return { header, end };
}

export interface RestoreOptions {
  readonly environment: Environment;
  /** The URL of an empty database, for a user that may create the roles or act as the owner. */
  readonly url: string;
  readonly identities: readonly string[];
  readonly objects: ObjectStore;
  /** Restores although secrets are missing that the service needs. */
  readonly withoutSecrets: boolean;
}

/** Restores an archive into an empty database, and its report files into the store of the environment. Restores all or nothing. */
export async function restoreArchive(archive: Readable, options: RestoreOptions): Promise<ArchiveSummary> {
  const parts = readArchive(archive, options.identities);
  const header = await nextHeader(parts);
  if (header.workspace !== null) {
    throw new Error(`This is an export of the workspace ${header.workspace}, which cannot be restored.`);
  }
  assertKnownMigrations(header.database.migrations);
  const lacking = findLackingSecrets(header, options.environment);
  if (lacking.length > 0 && !options.withoutSecrets) {
    throw new Error(
      `The service could not read the restored data:\n${lacking.map((sentence) => `- ${sentence}`).join('\n')}\n` +
        'If they are lost, add --without-secrets.',
    );
  }
  const meter = new ArchiveMeter();
  let end: ArchiveEnd | null = null;
  await RestoredDatabase.fill(options.url, header.database, async (database) => {
    for await (const part of parts) {
      if (part.kind === 'header') continue;
      meter.add(part);
      if (part.kind === 'rows') await database.append(part.table, part.content);
      else if (part.kind === 'file') await restoreFile(database, part, options);
      else {
        await database.closeTable();
        await assertCounts(database, part.end);
        await database.setSequences(part.end.sequences);
        ({ end } = part);
      }
    }
  });
  if (end === null) throw new Error('The backup has no end.');
  return { header, end };
}

async function nextHeader(parts: ReturnType<typeof readArchive>): Promise<ArchiveHeader> {
  const { value } = await parts.next();
  if (value?.kind !== 'header') throw new Error('The file is no backup of Shipgate.');
  return value.header;
}

/** Also compares the number of rows in the database, because the service will read the database. */
async function assertCounts(database: RestoredDatabase, { tables, files }: ArchiveEnd): Promise<void> {
  for (const [name, { rows }] of Object.entries(tables)) {
    const found = await database.count(name);
    // A file that moves into the database adds its blocks.
    const mayBeMore = name === 'public.report_content_block' && files.count > 0;
    if (found < rows || (found > rows && !mayBeMore)) {
      throw new Error(`${name} has ${found} rows after the restore instead of ${rows}.`);
    }
  }
}

async function restoreFile(
  database: RestoredDatabase,
  { orgId: given, sha256, content }: ArchivePart & { readonly kind: 'file' },
  { environment: { storage }, objects }: RestoreOptions,
): Promise<void> {
  await database.closeTable();
  const orgId = toOrgId(given);
  await database.place(orgId, sha256, await storeContent());

  async function storeContent(): Promise<RestoredContent> {
    if (storage !== null) {
      const location = objectUrl(storage, orgId, new Date().toISOString().slice(0, 7), sha256);
      await objects.put(location, content);
      return { bytes: new Uint8Array(), deflated: [], location };
    }
    const stored = await new DatabaseReportStore().store(orgId, { sha256, blocks: toBlocks(content) });
    return { ...stored, location: null };
  }
}
