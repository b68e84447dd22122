import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import type { Environment } from '../../config/environment.js';
import { SERVICE_VERSION } from '../../config/service-version.js';
import type { DatabaseDump, OutsideFile } from '../../database/dump/database-dump.js';
import type { ObjectStore } from '../../features/evidence/storage/s3-report-store.js';
import {
  type ArchiveEnd,
  type ArchiveHeader,
  END_ENTRY,
  FILES_FOLDER,
  FORMAT,
  HEADER_ENTRY,
  TableMeter,
  TABLES_FOLDER,
  toSecrets,
} from './archive-format.js';
import { encryptArchive } from './archive-encryption.js';
import type { ArchiveLocation } from './archive-location.js';

/** The minimum size of an entry with rows, except the last one of a table. */
const ENTRY_BYTES = 4 * 1_048_576;

export interface ArchiveOptions {
  readonly environment: Environment;
  readonly place: ArchiveLocation;
  readonly recipients: readonly string[];
  /** Null for the whole service. */
  readonly workspace: string | null;
  readonly withFiles: boolean;
}

/** Writes a backup as a gzipped tar file, encrypted if there are recipients. The memory does not grow with the database. */
export async function writeArchive(
  dump: DatabaseDump,
  objects: ObjectStore,
  { environment, place, recipients, workspace, withFiles }: ArchiveOptions,
): Promise<ArchiveEnd> {
  const database = await dump.describe();
  const header: ArchiveHeader = {
    format: FORMAT,
    shipgate: SERVICE_VERSION,
    database,
    workspace,
    files: withFiles ? 'included' : 'left out',
    secrets: toSecrets(environment, database.encryptionKeyIds),
  };
  const tar = new TarWriter();
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  let failure: unknown = null;
  // The first failure is the cause of the others. It ends the archive and all work that waits for it.
  const stop = (error: unknown): void => {
    failure ??= error;
    tar.stream.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  const work = [
    fill(tar, dump, header, withFiles ? objects : null),
    pipeline(tar.stream, gzip),
    encryptArchive(gzip, recipients).then((archive) => place.write(archive)),
  ] as const;
  for (const part of work) part.catch(stop);
  const [filled] = await Promise.allSettled(work);
  if (failure !== null || filled.status === 'rejected') throw failure;
  return filled.value;
}

async function fill(
  tar: TarWriter,
  dump: DatabaseDump,
  header: ArchiveHeader,
  objects: ObjectStore | null,
): Promise<ArchiveEnd> {
  await tar.addJson(HEADER_ENTRY, header);
  const tables: Record<string, ReturnType<TableMeter['read']>> = {};
  for (const table of header.database.tables) {
    const meter = new TableMeter();
    await tar.addParts(`${TABLES_FOLDER}/${table.name}`, measured(dump.read(table), meter));
    tables[table.name] = meter.read();
  }
  const missingFiles: string[] = [];
  let [count, bytes] = [0, 0];
  if (objects !== null) {
    for await (const file of dump.listOutsideFiles()) {
      const content = await readWhole(objects, file);
      if (content === null) missingFiles.push(file.location);
      else {
        await tar.add(`${FILES_FOLDER}/${file.orgId}/${file.sha256}`, content);
        count += 1;
        bytes += content.length;
      }
    }
  }
  const end: ArchiveEnd = { tables, files: { count, bytes }, missingFiles, sequences: await dump.listSequences() };
  await tar.addJson(END_ENTRY, end);
  tar.finish();
  return end;
}

async function* measured(parts: AsyncIterable<Buffer>, meter: TableMeter): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    meter.add(part);
    yield part;
  }
}

/** Returns null if the file is missing or changed. The limits of uploads keep it small enough for the memory. */
async function readWhole(objects: ObjectStore, { location, sha256 }: OutsideFile): Promise<Buffer | null> {
  const stream = await objects.read(location);
  if (stream === null) return null;
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  const content = Buffer.concat(parts);
  return createHash('sha256').update(content).digest('hex') === sha256 ? content : null;
}

/** Adds entries to a tar file at the speed of its reader. */
class TarWriter {
  private readonly tar: Pack = pack();

  get stream(): Readable {
    return this.tar as unknown as Readable;
  }

  add(name: string, content: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = this.tar.entry({ name, size: content.length, mode: 0o600 }, (error) =>
        error ? reject(error) : resolve(),
      );
      entry.end(content);
    });
  }

  addJson(name: string, value: object): Promise<void> {
    return this.add(name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
  }

  /** Adds content that may be larger than the memory, as numbered entries in a folder. */
  async addParts(folder: string, parts: AsyncIterable<Buffer>): Promise<void> {
    let number = 0;
    let gathered: Buffer[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      if (length === 0) return;
      await this.add(`${folder}/${String((number += 1)).padStart(6, '0')}.copy`, Buffer.concat(gathered));
      [gathered, length] = [[], 0];
    };
    for await (const part of parts) {
      gathered.push(part);
      length += part.length;
      if (length >= ENTRY_BYTES) await flush();
    }
    await flush();
  }

  finish(): void {
    this.tar.finalize();
  }
}
