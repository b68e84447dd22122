import { Injectable } from '@nestjs/common';
import { Database, type TenantTx, type Viewer } from '../../database/database.js';
import type { JsonValue } from '../../domain/audit/canonical-json.js';
import { ReportStorage } from '../evidence/storage/report-storage.service.js';
import { ServiceKeys } from '../signing/service-keys.service.js';
import type { IndexedReport, PackIndex } from './pack-index.reader.js';
import { packReadme } from './pack-readme.js';
import { PackRecordsReader } from './pack-records.reader.js';
import type { PackSource, PackTitle } from './pack-writer.js';

/** Puts the files of an audit pack together, in the order in which they stand in it. */
@Injectable()
export class PackContents {
  constructor(
    private readonly database: Database,
    private readonly records: PackRecordsReader,
    private readonly reports: ReportStorage,
    private readonly keys: ServiceKeys,
  ) {}

  /** For a viewer, who may lose the right to read meanwhile: then what follows is not there, and it ends with an error. */
  async *list(viewer: Viewer, index: PackIndex, title: PackTitle): AsyncGenerator<PackSource> {
    yield textFile('README.txt', packReadme(title));
    yield jsonFile('release.json', index.release);
    yield jsonFile('policy.json', index.policy);
    yield* this.evidence(viewer, index);
    yield jsonFile('evidence-pulls.json', index.pulls);
    for (const { pullNumber, name, content } of index.files) {
      yield textFile(`evidence-pulls/${pullNumber}/${name}`, content);
    }
    yield jsonFile('transitions.json', index.transitions);
    for (const [at, id] of index.decisionIds.entries()) {
      const decision = await this.read(viewer, (tx) => this.records.findDecision(tx, id));
      yield jsonFile(`decisions/${numbered(at)}-${id}.json`, decision);
    }
    yield jsonFile('overrides.json', { waivers: index.waivers, breakGlasses: index.breakGlasses });
    yield jsonFile('history.json', index.history);
    yield jsonFile('audit-log.json', { workspace: viewer.orgId, entries: index.auditLog });
    yield jsonFile('keys.json', (await this.keys.keySet()) as unknown as JsonValue);
  }

  private async *evidence(viewer: Viewer, { evidenceIds, reports }: PackIndex): AsyncGenerator<PackSource> {
    for (const [at, id] of evidenceIds.entries()) {
      const evidence = await this.read(viewer, (tx) => this.records.findEvidence(tx, id));
      yield jsonFile(`evidence/${numbered(at)}-${id}.json`, evidence);
    }
    const packed = new Set<string>();
    for (const report of reports) {
      if (packed.has(report.sha256)) continue;
      packed.add(report.sha256);
      yield this.reportFile(viewer, report);
    }
  }

  private reportFile(viewer: Viewer, { id, sha256, size }: IndexedReport): PackSource {
    const open = async (): Promise<AsyncIterable<Uint8Array>> => {
      // The storage knows workspaces and no people, and a pack may take long to read.
      await this.read(viewer, (tx) => this.records.findReport(tx, id));
      return this.reports.open(viewer.orgId, sha256);
    };
    return { path: `reports/${sha256}`, size, sha256, read: open };
  }

  private async read<T>(viewer: Viewer, find: (tx: TenantTx) => Promise<T | null>): Promise<T> {
    const found = await this.database.asViewer(viewer, find);
    if (found === null) throw new Error('A record of the release may not be read any more.');
    return found;
  }
}

/** In the order of their numbers, which is then that of their names. */
const numbered = (at: number): string => String(at + 1).padStart(5, '0');

const jsonFile = (path: string, value: JsonValue): PackSource => textFile(path, `${JSON.stringify(value, null, 2)}\n`);

function textFile(path: string, text: string): PackSource {
  const bytes = Buffer.from(text);
  return {
    path,
    size: bytes.length,
    sha256: null,
    async *read() {
      yield bytes;
    },
  };
}
