import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import type { JsonValue } from '../../domain/audit/canonical-json.js';
import { ReportStorageService } from '../evidence/storage/report-storage.service.js';
import { SigningService } from '../signing/signing.service.js';
import { type IndexedReport, type PackIndex, AuditPackQueries } from './audit-pack.queries.js';
import type { PackSource, PackTitle } from './pack-writer.js';

/** Builds the README of a pack, for auditors without knowledge of the service. */
const buildReadme = ({ release, createdAt, service }: PackTitle, baseUrl: string): string => `\
Audit pack of ${release.version} of ${release.org}/${release.repo}
created at ${createdAt.toISOString()} by Shipgate ${service}

The page that says how it was approved, for members of the workspace:

  ${baseUrl}/w/${encodeURIComponent(release.org)}/releases/${release.milestoneId}/approval

The pack contains everything that Shipgate stores of this release, as of that time:

  release.json               the release, its stage, and its unmet conditions
  policy.json                the policy of its repository (sdlc.yaml), as it was last read
  evidence/                  the evidence that CI uploaded: one file per upload, in the order of the uploads
  reports/                   the uploaded files, byte by byte, each named by its SHA-256
  artifacts.json             the digests that CI stated, with the results of their provenance bundles; only if there are any
  bundles/                   these bundles, each named by its SHA-256
  evidence-pulls.json        the evidence pull requests and their reviews
  evidence-pulls/            the files that Shipgate published in them
  transitions.json           every change of stage
  decisions/                 every verdict of the deploy gate with its inputs
  overrides.json             waivers and break-glass requests, with the users who requested and confirmed them
  history.json               the deployments of this release, including rollbacks to it
  audit-log.json             the audit entries of this release; each entry carries a hash over itself and the one before it
  keys.json                  the public keys of the service
  manifest.json              this list with sizes and digests
  signature.json             an Ed25519 signature over the bytes of manifest.json

The reports are files that CI uploaded. An HTML report may run scripts in a browser: read it as text, or open it in an
isolated environment.

To verify the pack offline, with the command line that Shipgate serves at /cli/shipgate.cjs:

  node shipgate.cjs verify-pack PACK.zip --keys shipgate-keys.json

where shipgate-keys.json comes from /.well-known/shipgate-keys.json of the service over a connection that you trust, and
not from this pack. The command checks every byte, derives every decision again, and names the first changed byte.

To verify the signature with OpenSSL 3 alone, in bash:

  unzip -p PACK.zip manifest.json > manifest.json
  field() { unzip -p PACK.zip signature.json | sed -n 's/^ "'$1'": "\\([^"]*\\)".*/\\1/p' | tr '_-' '/+'; }
  (printf '302a300506032b6570032100' | xxd -r -p; printf '%s=' "$(field publicKey)" | base64 -d) > key.der
  printf '%s==' "$(field signature)" | base64 -d > signature.bin
  openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in manifest.json -sigfile signature.bin

and then each file against its sha256 in manifest.json.
`;

/** Lists the files of an audit pack in their order. */
@Injectable()
export class PackContentsService {
  constructor(
    private readonly database: Database,
    private readonly records: AuditPackQueries,
    private readonly reports: ReportStorageService,
    private readonly keys: SigningService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Throws if the viewer loses read access to the release during the download. */
  async *list(viewer: Viewer, index: PackIndex, title: PackTitle): AsyncGenerator<PackSource> {
    yield textFile('README.txt', buildReadme(title, this.environment.baseUrl));
    yield jsonFile('release.json', index.release);
    yield jsonFile('policy.json', index.policy);
    yield* this.evidence(viewer, index);
    yield* this.artifacts(viewer, index);
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
    yield jsonFile('keys.json', (await this.keys.getKeySet()) as unknown as JsonValue);
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

  private async *artifacts(viewer: Viewer, { artifacts, bundles }: PackIndex): AsyncGenerator<PackSource> {
    if (artifacts.length === 0) return;
    yield jsonFile('artifacts.json', artifacts);
    const packed = new Set<string>();
    for (const { artifactId, sha256, size } of bundles) {
      if (packed.has(sha256)) continue;
      packed.add(sha256);
      const bytes = await this.read(viewer, (tx) => this.records.findBundle(tx, artifactId, sha256));
      yield { path: `bundles/${sha256}`, size, sha256, read: async () => toChunks(bytes) };
    }
  }

  private reportFile(viewer: Viewer, { id, sha256, size }: IndexedReport): PackSource {
    const open = async (): Promise<AsyncIterable<Uint8Array>> => {
      // Checks the access of the viewer again, because the download may take long and the storage checks only the workspace.
      await this.read(viewer, (tx) => this.records.findReportDigest(tx, id));
      return this.reports.open(viewer.orgId, sha256);
    };
    return { path: `reports/${sha256}`, size, sha256, read: open };
  }

  private async read<T>(viewer: Viewer, find: (tx: TenantTransaction) => Promise<T | null>): Promise<T> {
    const found = await this.database.asViewer(viewer, find);
    if (found === null) throw new Error('A record of the release cannot be read any more.');
    return found;
  }
}

async function* toChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Pads the number, so that the names have the order of the numbers. */
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
