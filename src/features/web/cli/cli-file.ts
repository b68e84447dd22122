import { existsSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack as createPack } from 'tar-stream';
import { SERVICE_VERSION, SUPPORTED_NODE } from '../../../config/service-version.js';
import { sha256 } from '../../../crypto/digests.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { SharedDocument } from '../../../http/shared-document.js';
import type { CliDescriptionDto } from './cli.dto.js';

export const CLI_FILE_NAME = 'shipgate.cjs';
export const CLI_PACKAGE_NAME = 'shipgate.tgz';

/** The built command-line tool: beside this code if it is built too, else in the output folder. */
const BUILT = ['../../../../cli/', '../../../../dist/cli/']
  .map((folder) => new URL(folder + CLI_FILE_NAME, import.meta.url))
  .find((file) => existsSync(file));

interface Download {
  readonly content: SharedDocument;
  /** A line that `sha256sum --check` reads. */
  readonly checksum: SharedDocument;
}

interface ReadFile extends Download {
  readonly description: SharedDocument;
  readonly bytes: Buffer;
}

/** The built command-line tool of this version. It is read once at the start. */
export class CliFile {
  readonly #file: ReadFile | null;
  #package: Promise<Download> | undefined;

  /** Without a location, or if there is no file, the build has no command-line tool. */
  constructor(location: URL | undefined = BUILT) {
    this.#file = location !== undefined && existsSync(location) ? readTool(readFileSync(location)) : null;
  }

  /** Throws `not_found` if the build has no command-line tool. */
  get(): ReadFile {
    if (this.#file === null) {
      throw new DomainError('not_found', 'This build of the service does not contain the command-line tool.');
    }
    return this.#file;
  }

  /** Returns the tool as an npm package, so that no registry is needed. Throws `not_found` as `get` does. */
  async getPackage(): Promise<Download> {
    const { bytes } = this.get();
    this.#package ??= pack(bytes).then((packed) => toDownload(packed, CLI_PACKAGE_NAME, true));
    return this.#package;
  }
}

const toDownload = (bytes: Buffer, name: string, isCompressed = false): Download => ({
  content: new SharedDocument(bytes, isCompressed),
  checksum: new SharedDocument(`${sha256(bytes)}  ${name}\n`),
});

/** The package has no dependencies and no scripts. The same tool is always packed to the same bytes. */
async function pack(tool: Buffer): Promise<Buffer> {
  const manifest = {
    name: 'shipgate',
    version: SERVICE_VERSION,
    description: 'The command line of Shipgate.',
    license: 'Apache-2.0',
    type: 'commonjs',
    bin: { shipgate: CLI_FILE_NAME },
    engines: { node: SUPPORTED_NODE },
  };
  const archive = createPack();
  const stable = { mtime: new Date(0), uid: 0, gid: 0 };
  archive.entry({ ...stable, name: 'package/package.json', mode: 0o644 }, JSON.stringify(manifest));
  archive.entry({ ...stable, name: `package/${CLI_FILE_NAME}`, mode: 0o755 }, tool);
  archive.finalize();
  return promisify(gzip)(await buffer(archive));
}

function readTool(bytes: Buffer): ReadFile {
  const digest = sha256(bytes);
  const description: CliDescriptionDto = {
    version: SERVICE_VERSION,
    sha256: digest,
    size: bytes.length,
    node: SUPPORTED_NODE,
  };
  return {
    ...toDownload(bytes, CLI_FILE_NAME),
    bytes,
    description: new SharedDocument(JSON.stringify(description)),
  };
}
